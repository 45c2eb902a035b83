// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import TerminalText

extension LibraryInspection: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("library", file)
        fields.add("verdict", verdict)
        fields.add("because", each: problems.map { "\($0.message); \($0.remedy)" })
        fields.add("perhaps", each: doubts.map { "\($0.message); \($0.remedy)" })
        fields.add("architecture", architecture)
        fields.add(
            "built for",
            note.map {
                "ABI major \($0.major), needs minor \($0.requiredMinor), header of minor \($0.headerMinor);"
                    + " a host of this version has ABI \(abi)"
            }
        )
        fields.add("also for", each: otherMajors.map { "ABI major \($0), which a host of this version skips" })
        if hardening != nil, !problems.contains(where: { $0.code.hasPrefix("entry") }) {
            fields.add("entry", PluginBinary.entryName)
        }
        fields.add("name", name)
        fields.add("needs", each: needs)
        fields.add("search path", each: searchPaths)
        fields.add("takes", each: privateFiles.map { "\($0.path)\($0.digest.map { ", sha256: \($0)" } ?? "")" })
        fields.add("hardening", each: hardening?.words ?? [])
        fields.add("size", size.map { "\($0) bytes" })
        fields.add("digest", digest.map { "sha256: \($0)" })
        return fields.text
    }

    private var verdict: String {
        if isLoadable { return "a host of this version loads it" }
        return isBindable
            ? "not a plugin by itself; handlers of a manifest may bind its functions, which nm -D --defined-only lists"
                + " with a T, W or i"
            : "no host of this version loads it"
    }
}

extension LibraryInspection.Hardening {
    fileprivate var words: [String] {
        let relro =
            switch relocationProtection {
            case "full": "relocation tables are read-only after loading"
            case "partial": "some relocation tables stay writable; link the library with -z relro -z now"
            default: "all relocation tables stay writable; link the library with -z relro -z now"
            }
        return [
            executableStack ? "executable stack; link the library with -z noexecstack" : "no executable stack",
            textRelocations ? "text relocations; build the library with -fPIC" : "no text relocations", relro,
        ]
    }
}
