// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Background assertions of plugins, identified by their count within the launch.
extension SchedulerDriver {
    struct AssertionExpiration: Hashable {
        let launch: LaunchNumber
        let reason: ExpirationReason
    }

    func beginAssertion(_ count: UInt32 = 1, named name: String = "flush", in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        send(.assertionBegan(plan.number, AssertionID(launch: plan.number, count: count), name: name))
    }

    func endAssertion(_ count: UInt32 = 1, in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        send(.assertionEnded(plan.number, AssertionID(launch: plan.number, count: count)))
    }

    var assertionExpirations: [AssertionExpiration] {
        actions.compactMap { action in
            guard case .expireAssertions(let launch, let reason) = action else { return nil }
            return AssertionExpiration(launch: launch, reason: reason)
        }
    }

    /// Names of the open assertions of all launches.
    var openAssertions: [String] { scheduler.runningLaunches.flatMap(\.assertions) }
}
