// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

extension Samples {
    /// A forecast with a running launch, a launch of a schedule, a waiting task and a cut.
    static func forecast() throws -> ForecastReply {
        let request = PendingRequest(
            plugin: try plugin(),
            number: SubmissionNumber(rawValue: 12),
            request: TaskRequest(identifier: try task(), kind: .refresh),
            submitter: .schedule,
            submittedAt: now
        )
        let work = PendingWork.request(request)
        func launch(_ number: LaunchNumber?, at begin: WallTime) throws -> ForecastReply.Launch {
            ForecastReply.Launch(
                number,
                of: try plugin(),
                lane: .background,
                begin: begin,
                end: number == nil ? begin + .seconds(12) : nil,
                tasks: [
                    ForecastReply.Task(
                        work,
                        isAssumed: number == nil,
                        origin: number == nil ? "schedule" : "running",
                        takes: .seconds(12),
                        basis: "earlier-runs"
                    )
                ]
            )
        }
        return ForecastReply(
            now: now,
            until: now + .seconds(86_400),
            cut: ForecastReply.Cut(reason: "work", message: "some are left out"),
            computedUntil: now + .seconds(86_400),
            launches: [
                try launch(LaunchNumber(rawValue: 41), at: now + .seconds(-60)),
                try launch(nil, at: now + .seconds(600)),
            ],
            launchCount: 3,
            waiting: [
                ForecastReply.Wait(
                    work,
                    isAssumed: false,
                    reason: WaitingReason(code: "network", message: "the task needs a network"),
                    reasonCount: 2
                )
            ],
            waitingCount: 1,
            conditions: conditions,
            policies: PoliciesInForce(
                off: ["idle"],
                stagger: .seconds(60),
                refreshSpacing: .seconds(900),
                pushSpacing: .seconds(1200),
                overrunSpacing: .seconds(30),
                longestSpacing: .seconds(3600),
                learnsUse: false,
                dayBudget: .seconds(4 * 3600),
                maximumDeferral: .seconds(2 * 86_400),
                maximumCapacityWait: .seconds(300)
            ),
            assumptions: ["only schedules submit work"]
        )
    }
}
