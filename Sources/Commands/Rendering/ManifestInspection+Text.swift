// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TerminalText

extension ManifestInspection: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("manifest", manifest)
        fields.add("plugin", plugin)
        fields.add("refused", each: problems.map { "\($0.message); \($0.remedy)" })
        fields.add("requires", each: requires)
        let named = libraries.compactMap { library in
            library.architecture.map { "\($0): \(library.path)" + (library.digest.map { ", sha256: \($0)" } ?? "") }
        }
        fields.add("libraries for", each: named)
        return fields.text + (library.map { "\n" + $0.text(for: reader) } ?? "")
    }
}
