// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// Which host a command talks to, and how to start that one. Never connects.
struct HostChoice: Hashable {
    enum Wish: Hashable {
        case socket(String)
        case system
        case user
        /// The user's host if its socket is there, else the system's.
        case whicheverIsThere
    }

    let socket: String
    /// What to say when nobody answers.
    let startHint: String

    init(_ wish: Wish, user: HostPaths, system: HostPaths = .system, fileExists: (String) -> Bool) {
        let userHint = "start your own host with: bgtask host run"
        let systemHint = "start the system's host with: sudo bgtask host run --system"
        switch wish {
        case .socket(let path):
            socket = path
            startHint = "start a host there with: bgtask host run --socket \(path)"
        case .system:
            socket = system.controlSocket
            startHint = systemHint
        case .user:
            socket = user.controlSocket
            startHint = userHint
        case .whicheverIsThere where fileExists(user.controlSocket):
            socket = user.controlSocket
            startHint = userHint + "; or use the system's with --system"
        case .whicheverIsThere:
            socket = system.controlSocket
            startHint = "you have no host at \(user.controlSocket) either; \(userHint); or \(systemHint)"
        }
    }
}
