// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Continued tasks: their submission by users and plugins, and the calls of their plugins.
extension SchedulerDriver {
    /// Submits a continued request.
    ///
    /// - Parameter plan: The launch that submits the request. Without one, `submitter` submits it, by default a user.
    @discardableResult
    func submitContinued(
        _ identifier: TaskIdentifier = .album(1),
        strategy: SubmissionStrategy = .queue,
        needing resources: TaskResources = [],
        at earliestBegin: WallTime? = nil,
        by submitter: Submitter? = nil,
        from plan: LaunchPlan? = nil
    ) -> Answer? {
        let request = TaskRequest(
            identifier: identifier,
            kind: .continued,
            earliestBegin: earliestBegin,
            continued: ContinuedTerms(title: "Export", strategy: strategy, resources: resources)
        )
        let submitter = submitter ?? plan.map { .plugin($0.plugin.identifier) } ?? .user
        return ask {
            .submitted(Submission(request: request, submitter: submitter, launch: plan?.number), reply: $0)
        }
    }

    @discardableResult
    func stopTask(_ identifier: TaskIdentifier) -> Answer? { ask { .taskStopRequested(identifier, reply: $0) } }

    /// Starts a launch of the processing task at a user's request. The launch has handlers for this task and the given
    /// albums. Returns the plan; nil when nothing was launched.
    @discardableResult
    func openByUser(_ identifier: TaskIdentifier = .clean, albums: ClosedRange<Int> = 1...5) -> LaunchPlan? {
        submit(identifier, after: .seconds(1))
        requestRun(of: identifier)
        enter(registering: [identifier] + albums.map { .album($0) })
        return lastPlan
    }

    /// Registers a handler in a launch after the return of its entry.
    func register(_ identifier: PermittedIdentifier, in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        send(.registered(plan.number, identifier))
    }

    /// The lane whose capacity a launch uses now; nil when it does not run.
    func lane(of plan: LaunchPlan?) -> Lane? {
        scheduler.runningLaunches.first { $0.plan.number == plan?.number }?.lane
    }
}
