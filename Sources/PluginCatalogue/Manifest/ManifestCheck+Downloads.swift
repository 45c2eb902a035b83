// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// The rule for arguments of bound functions that the host downloads.
extension ManifestCheck {
    /// Checks that the grants have the port of each download: the host downloads with the rights of the plugin.
    func checkDownloads(with grants: Grants) {
        guard draft.role == .main, !grants.network, !problems.holdsErrors(under: .grants) else { return }
        for argument in (draft.handlers?.value ?? []).flatMap({ $0.arguments?.value ?? [] }) {
            guard case .download(let url) = argument.value, let session = TransferSession.argument(1) else { continue }
            let port = TransferDescription(direction: .download, session: session, url: url).port
            if let port, grants.connect.contains(port) { continue }
            problems.report(
                .handlerArguments,
                at: argument,
                "is a download from port \(port.map(String.init) ?? "of its URL"), and grants requests no network with"
                    + " this port",
                remedy: port.map { "write grants: { network: { connect: [\($0), 53] } }, or grants: { network: true }" }
                    ?? "write grants: { network: true }"
            )
        }
    }
}
