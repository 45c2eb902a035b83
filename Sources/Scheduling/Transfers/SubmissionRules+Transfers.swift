// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The rules of transfers that their description is checked against. The limit of open transfers is that of requests.
extension SubmissionRules {
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
                + " \(entry.identifier) requests no network with this port; add it to connect below grants, or request"
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
