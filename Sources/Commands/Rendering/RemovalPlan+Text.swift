// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginCatalogue
import PluginInstaller
import TaskModel
import TerminalText

extension RemovalPlan {
    /// The files and data to remove and to keep, as text for the operator to confirm.
    func text(purging: Bool) -> String {
        var fields = FieldList()
        fields.add("plugin", identifier.text)
        fields.add("version", version.flatMap { $0.isEmpty ? nil : $0 })
        fields.add("removes", each: [manifest] + [library].compactMap(\.self) + (superseded?.paths ?? []))
        fields.add("leaves", each: [keptLibrary].compactMap(\.self))
        fields.add("uncovers", uncovered)
        fields.add("displaces", each: displaced.map { "\($0.identifier?.text ?? $0.file): \($0.firstError)" })
        fields.add(
            purging ? "deletes" : "keeps",
            each: [
                "its container",
                "its logs",
                purging
                    ? "its pending requests"
                    : "its pending requests, for removed-plugin-retention of the host (30 days by default)",
            ]
        )
        return fields.text
    }
}
