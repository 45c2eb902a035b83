// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlClient
import TaskModel

extension RemovalPlan {
    /// Removes the files and waits for the host's verdict; nil when no host uses these directories. Throws
    /// `InstallationError` after restoring every file, or `ControlError` after the removal.
    package func remove() async throws -> HostVerdict.Answer? {
        var exchange = FileExchange()
        do {
            // The manifest first: otherwise the host would report a missing library.
            try exchange.remove(manifest)
            if let library { try exchange.remove(library) }
        } catch {
            throw exchange.takeBack([], after: error)
        }
        exchange.keep()
        _ = superseded?.delete()
        guard let host = place.host else { return nil }
        return try await ControlClient.withConnection(to: host.socket) { client in
            try await HostVerdict(client: client).onRemoval(of: identifier, describedBy: manifest)
        }
    }
}
