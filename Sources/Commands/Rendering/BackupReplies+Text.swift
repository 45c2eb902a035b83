// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostBackup
import TerminalText

extension BackupReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("backup", "\(file), \(bytes) bytes")
        fields.add("manifest", "SHA-256 \(sha256)")
        fields.add(manifest)
        fields.add("members", each: manifest.members.map { "\($0.name), \($0.size) bytes" })
        fields.add("journal", isRunning ? (isJournaled ? "backed-up" : "not recorded") : "no host runs")
        return fields.text
    }
}

extension RestoreReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("state", "\(stateDirectory), restored from \(file)")
        fields.add("backup", "of \(manifest.takenAt), made by version \(manifest.version)")
        fields.add(manifest)
        fields.add("incarnation", "\(incarnation) from the first start on")
        fields.add("containers", hasContainers ? "restored" : "none in the backup; each begins empty")
        fields.add("trust", each: trust.map(\.words))
        fields.add("plugins", each: plugins.map(\.words))
        return fields.text
    }
}

extension FieldList {
    fileprivate mutating func add(_ manifest: BackupManifest) {
        add("ledger", "version \(manifest.schema), incarnation \(manifest.incarnation)")
        let running = manifest.runningLaunches == 1 ? "1 launch" : "\(manifest.runningLaunches) launches"
        add("work", "\(manifest.pendingRequests) pending, \(running) running")
    }
}

extension RestoredTrust {
    fileprivate var words: String {
        switch result {
        case .restored: "\(file) restored"
        case .unchanged: "\(file) has the contents of the backup"
        case .kept: "\(file) has other contents, which stay; compare it with the member of the backup"
        }
    }
}

extension MissingPlugin {
    fileprivate var words: String {
        let name = plugin.identifier
        return switch problem {
        case .missing: "\(name) is not installed; its manifest was \(plugin.manifest); install it again"
        case .refused: "\(name) is refused; show the problem with: bgtask plugin check"
        case .otherManifest: "\(name) has another manifest than at the time of the backup"
        case .otherLibrary: "\(name) has another library than at the time of the backup"
        }
    }
}
