// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension PluginListReply: Presentable {
    func text(for reader: Reader) -> String {
        var table = Table("PLUGIN", "VERSION", "ROLE", "MODES", "TASKS", "PENDING", "EVENTS", "RUNNING", "STATE")
        for plugin in plugins {
            table.add(
                plugin.identifier,
                plugin.version ?? "",
                plugin.role,
                plugin.modes.joined(separator: ","),
                "\(plugin.permitted.count)",
                "\(plugin.pending)",
                "\(plugin.events)",
                "\(plugin.running)",
                plugin.state.rawValue
            )
        }
        var sections = plugins.isEmpty ? [] : [table.text(fitting: reader.width)]
        if !refused.isEmpty {
            let manifests = refused.count == 1 ? "1 manifest" : "\(refused.count) manifests"
            sections.append("\(manifests) refused:\n" + refused.map(\.text).joined())
        }
        if isPartial { sections.append(PartialList.text) }
        return sections.joined(separator: "\n")
    }
}

extension PluginListReply.Refused {
    var text: String {
        if problems.isEmpty { return "\(file): error: refused".terminalSafe + "\n" }
        return problems.map { $0.text(in: file) }.joined()
    }
}

extension ManifestNote {
    /// The note as `file:line:column: severity: message`, the format of compilers, so that editors can jump to the
    /// place.
    func text(in file: String) -> String { line(in: file).terminalSafe + "\n" }

    /// The note without a line end, with unsafe characters as they are.
    func line(in file: String) -> String {
        var place = file
        if let line { place += ":\(line)" }
        if line != nil, let column { place += ":\(column)" }
        let subject = key.map { "\($0): " } ?? ""
        return "\(place): \(severity.rawValue): \(subject)\(message)"
    }
}
