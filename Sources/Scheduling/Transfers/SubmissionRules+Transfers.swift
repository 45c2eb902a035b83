// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The rules of transfers that their description and their number are checked against.
extension SubmissionRules {
    /// The refusal of a further transfer of a plugin.
    ///
    /// - Parameters:
    ///   - open: number of transfers without an end, running ones included.
    ///   - untaken: number of ended transfers whose file the plugin has not taken.
    static func limitRefusal(
        ofTransferBy plugin: PluginIdentifier,
        open: Int,
        untaken: Int,
        under configuration: SchedulingConfiguration
    ) -> SubmissionRefusal? {
        // The limit is one of the host: none applies to a single plugin.
        let limit = configuration.limits.transfer
        if open + untaken < limit { return nil }
        let files = untaken == 1 ? "file that it has not taken" : "files that it has not taken"
        let remedy = (untaken > 0 ? ["take the files"] : []) + (open > 0 ? ["cancel a transfer"] : [])
        return SubmissionRefusal(
            code: .tooManyPendingTaskRequests,
            subReason: .transferLimit,
            message: "\(plugin) has \(open) open transfers and \(untaken) \(files), and the limit of both together is"
                + " \(limit); \((remedy + ["raise limits.transfer"]).joined(separator: ", or ")) in the host's"
                + " configuration and run bgtask host reload"
        )
    }

    static func refusal(
        of transfer: TransferDescription,
        for entry: PluginEntry,
        under configuration: SchedulingConfiguration
    ) -> SubmissionRefusal? {
        if entry.role != .main {
            // The runner refuses this call of an extension itself, so the message was forged.
            return SubmissionRefusal(
                code: .notPermitted,
                subReason: .notOffered,
                message: "\(entry.identifier) is an extension, which has no transfers; begin them in its main plugin"
            )
        }
        if let problem = configuration.transfers.problem {
            return SubmissionRefusal(
                code: .unavailable,
                subReason: .transferLibraryMissing,
                message: "this host performs no transfers: \(problem); install the package of bgtask whole, and restart"
                    + " the host"
            )
        }
        if let flaw = transfer.flaw {
            return SubmissionRefusal(code: .unavailable, subReason: .notOffered, message: flaw)
        }
        return networkRefusal(of: transfer, for: entry) ?? secretRefusal(of: transfer, for: entry)
    }

    private static func networkRefusal(of transfer: TransferDescription, for entry: PluginEntry) -> SubmissionRefusal? {
        if entry.grants.network { return nil }
        let port = transfer.port
        if let port, entry.grants.connect.contains(port) { return nil }
        return SubmissionRefusal(
            code: .notPermitted,
            subReason: .networkNotGranted,
            message: "the transfer connects to port \(port.map(String.init) ?? "of its URL"), and the manifest of"
                + " \(entry.identifier) requests no network with this port; add it to grants.network.connect, or request"
                + " network: true"
        )
    }

    private static func secretRefusal(of transfer: TransferDescription, for entry: PluginEntry) -> SubmissionRefusal? {
        guard let key = transfer.secretKeys.first(where: { !entry.secrets.contains($0) }) else { return nil }
        return SubmissionRefusal(
            code: .notPermitted,
            subReason: .notOffered,
            message: "a secret header names the setting \(key.bounded(toBytes: 64).terminalSafe), which is no secret"
                + " setting of \(entry.identifier); declare it in the manifest with secret: true"
        )
    }
}
