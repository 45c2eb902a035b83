// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import PluginInstaller
import TaskModel
import TerminalText

/// The output of `plugin pack`: the pack and its files. `format` is the version of the structure of its JSON.
struct PackReport: Encodable {
    struct File: Encodable {
        let name: String
        /// Size in bytes.
        let size: Int
    }

    let format = 1
    let pack: String
    /// SHA-256 digest of the pack in lower-case hexadecimal.
    let digest: String
    let plugin: String
    /// The version in the manifest; empty when it has none.
    let version: String
    /// Whether the pack has a signature of the manifest.
    let isSigned: Bool
    /// Whether the manifest pins each library.
    let isPinned: Bool
    /// The architectures of the libraries; empty when one library serves every machine.
    let architectures: [String]
    let files: [File]
    /// The warnings of the checks, one line each.
    let warnings: [String]

    init(_ plan: PackPlan, at path: String, digest: String) {
        pack = path
        self.digest = digest
        plugin = plan.plugin.text
        version = plan.version
        isSigned = plan.isSigned
        isPinned = plan.isPinned
        architectures = plan.architectures
        files = plan.files.map { File(name: $0.name, size: $0.size) }
        warnings = plan.warnings.map { "\($0.message); \($0.remedy)" }
    }

    private enum CodingKeys: String, CodingKey {
        case format, pack, plugin, version, architectures, files, warnings
        case digest = "sha256"
        case isSigned = "signed"
        case isPinned = "pinned"
    }
}

extension PackReport: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("pack", pack)
        fields.add("plugin", plugin + (version.isEmpty ? "" : " \(version)"))
        fields.add("libraries for", each: architectures)
        fields.add("files", each: files.map { "\($0.name), \($0.size) bytes" })
        fields.add(
            "signature",
            isSigned ? "by the vendor, over the manifest" : "none; hosts may refuse unsigned plugins"
        )
        fields.add(
            "pins",
            isPinned ? "each library has its digest in the manifest" : "not each library; hosts may refuse such plugins"
        )
        fields.add("warnings", each: warnings)
        fields.add("sha256", digest)
        return fields.text
    }
}
