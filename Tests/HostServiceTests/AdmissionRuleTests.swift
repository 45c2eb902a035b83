// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConfiguration
import Testing

@testable import HostService

@Suite("Each route of the control API has a least role")
struct AdmissionRuleTests {
    private static let admission = Admission(
        ownUser: 500,
        groups: SocketGroups([
            .read: SocketGroup(name: "readers", id: 10), .submit: SocketGroup(name: "submitters", id: 20),
            .operate: SocketGroup(name: "operators", id: 30),
        ])
    )

    private static func peer(_ user: UInt32, groups: [UInt32] = [], _ origin: ProcessOrigin = .outside) -> Peer {
        Peer(user: user, process: 4_711, groups: groups, origin: origin)
    }

    /// The sub-reason of a refusal with status 403, or the status of any other refusal; nil when the call is permitted.
    private static func refusal(of peer: Peer, calling route: Route) -> String? {
        do throws(RouteError) {
            try admission.permit(peer, route)
            return nil
        } catch {
            return error.status == 403 ? error.reply.error.subReason : "status \(error.status)"
        }
    }

    @Test func `a route that changes nothing needs the role read, logs the role operate, and others a higher one`() {
        // Plugins may log secrets.
        #expect(Route.logs.role == .operate)
        for route in Route.allCases where route != .logs {
            // A forecast has a body, and changes nothing.
            #expect((route.role == .read) == (route.method == .get || route == .forecast), "\(route)")
        }
        let submitting: Set<Route> = [
            .taskSubmit, .taskSubmitBatch, .taskCancel, .taskRetry, .run, .pluginPush, .pushTokenCheck, .leaseRenew,
            .leaseDelete,
        ]
        #expect(Set(Route.allCases.filter { $0.role == .submit }) == submitting)
    }

    @Test(arguments: Route.allCases, ControlRole.allCases)
    func `a member of a role's group may call exactly the routes of this and lower roles`(
        route: Route,
        role: ControlRole
    ) {
        let group: UInt32 = role == .read ? 10 : role == .submit ? 20 : 30
        let refusal = Self.refusal(of: Self.peer(1_000, groups: [7, group]), calling: route)
        #expect(refusal == (role >= route.role ? nil : "role-too-low"))
    }

    @Test(arguments: Route.allCases)
    func `root and the host's own user may call every route, and a user without a group none`(route: Route) {
        #expect(Self.refusal(of: Self.peer(0), calling: route) == nil)
        #expect(Self.refusal(of: Self.peer(500), calling: route) == nil)
        #expect(Self.refusal(of: Self.peer(1_000, groups: [500, 0]), calling: route) == "foreign-user")
    }

    @Test(arguments: Route.allCases, [UInt32(0), 500, 1_000])
    func `processes of launches and unknown processes may call no route, also as root`(route: Route, user: UInt32) {
        let launched = Self.peer(user, groups: [30], .launch(child: 9))
        #expect(Self.refusal(of: launched, calling: route) == "caller-in-launch")
        #expect(Self.refusal(of: Self.peer(user, groups: [30], .unknown), calling: route) == "caller-unknown")
    }

    @Test func `a member of several socket groups has the highest role of these groups`() {
        #expect(Self.admission.role(of: Self.peer(1_000, groups: [10, 30, 20])) == .operate)
        #expect(Self.admission.role(of: Self.peer(1_000, groups: [20, 10])) == .submit)
    }

    @Test func `the refusal of a call for a too low role names this role, the route and the key of the required group`()
        throws
    {
        let refusal = #expect(throws: RouteError.self) {
            try Self.admission.permit(Self.peer(1_000, groups: [10]), .pluginPurge)
        }
        let error = try #require(refusal).reply.error
        #expect(error.message.contains("read") && error.message.contains("DELETE /v1/plugins/{identifier}"))
        #expect(error.remedy?.contains("socket-groups.operate") == true)
    }
}
