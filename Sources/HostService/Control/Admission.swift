// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostConfiguration

/// The rule of access to the control socket. The host's own user and root have every role, members of a socket group
/// have the role of the group. Processes of launches, and processes of unknown origin, have none.
struct Admission: Sendable {
    let ownUser: UInt32
    let groups: SocketGroups

    init(ownUser: UInt32 = getuid(), groups: SocketGroups) {
        self.ownUser = ownUser
        self.groups = groups
    }

    /// The role of a peer by its user and groups; nil for none.
    func role(of peer: Peer) -> ControlRole? {
        peer.user == 0 || peer.user == ownUser ? .operate : groups.role(ofMemberOf: peer.groups)
    }

    /// Returns the role of a peer. Throws when the peer may not use the socket at all.
    func admit(_ peer: Peer) throws(RouteError) -> ControlRole {
        guard let role = role(of: peer) else { throw .notAdmitted(user: peer.user) }
        switch peer.origin {
        case .outside: return role
        case .launch: throw .calledByLaunch(process: peer.process)
        case .unknown: throw .unknownCaller(process: peer.process)
        }
    }

    /// Throws when the peer may not call the route.
    func permit(_ peer: Peer, _ route: Route) throws(RouteError) {
        let role = try admit(peer)
        if role < route.role { throw .roleTooLow(role, user: peer.user, for: route) }
    }
}
