// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// The host that a command connects to: its control socket, and a hint on how to start it.
struct HostChoice: Hashable {
    enum Selection: Hashable {
        case socket(String)
        /// The control socket of the environment variable.
        case variable(String)
        case system
        case user
        /// The user's host if its socket exists, otherwise the system's host.
        case whicheverIsThere
    }

    let socket: String
    /// The remedy to print when no host answers at the socket.
    let startHint: String

    /// Chooses the host.
    ///
    /// - Parameter isRoot: whether the caller is root; affects only the start hint.
    init(
        _ selection: Selection,
        user: HostPaths,
        system: HostPaths = .system,
        isRoot: Bool,
        fileExists: (String) -> Bool
    ) {
        let userHint =
            isRoot
            ? "start root's own host with: bgtask host run --user --plugin-users FIRST-LAST"
            : "start your own host with: bgtask host run"
        let systemHint = "start the system's host with: \(isRoot ? "" : "sudo ")systemctl start bgtaskd"
        switch selection {
        case .socket(let path):
            socket = path
            startHint = "start a host there with: bgtask host run --socket \(path)"
        case .variable(let path):
            socket = path
            startHint =
                "start a host there with: bgtask host run --socket \(path); the socket comes from the environment"
                + " variable \(HostOptions.socketVariable)"
        case .system:
            socket = system.controlSocket
            startHint = systemHint
        case .user where isRoot:
            socket = user.controlSocket
            startHint =
                userHint + "; for root, --user selects root's own host; for the host of another user, give its"
                + " control socket with --socket, or run bgtask as that user; for the system's host, give --system"
        case .user:
            socket = user.controlSocket
            startHint = userHint
        case .whicheverIsThere where fileExists(user.controlSocket):
            socket = user.controlSocket
            startHint = userHint + "; or use the system's host with --system"
        case .whicheverIsThere:
            socket = system.controlSocket
            startHint =
                "\(userHint); or \(systemHint); the system's host was called because your own host has no control"
                + " socket at \(user.controlSocket)"
        }
    }
}
