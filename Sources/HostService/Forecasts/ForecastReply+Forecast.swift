// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Replay
import Scheduling
import TaskModel

extension ForecastReply {
    init(
        _ forecast: Forecast,
        _ order: ForecastOrder.Checked,
        isWorkCut: Bool,
        isLoading: Bool,
        lastSubmission: SubmissionNumber,
        conditions: ConditionsReply,
        policies: PoliciesInForce
    ) {
        let launches = forecast.launches.filter { launch in order.plugin.map { $0 == launch.plugin } ?? true }
        let cut = forecast.cut ?? (isWorkCut ? .work : isLoading ? .loading : nil)
        self.init(
            now: forecast.now.wall,
            until: order.until,
            cut: cut.map(Cut.init),
            computedUntil: forecast.computedUntil.wall,
            launches: launches.prefix(order.limit).map(Launch.init),
            launchCount: launches.count,
            waiting: forecast.waiting.map { item in
                Wait(
                    item.work,
                    isAssumed: item.work.number > lastSubmission,
                    reason: item.reasons.first.map { reason in
                        WaitingReason(reason, at: forecast.computedUntil, in: conditions, last: nil)
                    },
                    reasonCount: item.reasons.count
                )
            },
            waitingCount: forecast.waitingCount,
            conditions: conditions,
            policies: policies,
            assumptions: Self.assumptions(under: conditions)
        )
    }

    /// The assumptions of every forecast, and those about conditions that are not sampled now.
    private static func assumptions(under conditions: ConditionsReply) -> [String] {
        let unwatched = Condition.all.filter { conditions[$0].source == .unwatched }.map(\.name)
        let unsampled = "conditions that are not sampled now delay no work: \(unwatched.joined(separator: ", "))"
        return [
            "tasks take the median time of the plugin's launches of the last 14 days with tasks of the kind, else half of"
                + " their budget, and ten minutes without a budget",
            "every task succeeds, or expires at the end of its budget",
            "the conditions stay as they are in this answer",
            "only schedules and legacy fetch submit work; plugins, users and senders of pushes submit, cancel and pause"
                + " nothing",
            "runners start, and the ledger is written, without delay",
        ] + (unwatched.isEmpty ? [] : [unsampled])
    }
}

extension ForecastReply.Cut {
    fileprivate init(_ cut: Forecast.Cut) {
        let message =
            switch cut {
            case .steps: "the scheduler made \(ForecastScenario.mostSteps) decisions before the end of the forecast"
            case .processorTime:
                "the computation took \(ControlRoutes.forecastTime.humanReadable) before the end of the forecast"
            case .work: "the host has more than \(ControlRoutes.mostForecastWork) pending tasks, and some are left out"
            case .loading: "the host is still loading pending tasks"
            }
        self.init(reason: cut.rawValue, message: message)
    }
}

extension ForecastReply.Launch {
    fileprivate init(_ launch: Forecast.Launch) {
        self.init(
            launch.isRunning ? launch.number : nil,
            of: launch.plugin,
            lane: launch.lane,
            begin: launch.begin,
            end: launch.end,
            tasks: launch.tasks.map(ForecastReply.Task.init)
        )
    }
}

extension ForecastReply.Task {
    fileprivate init(_ task: Forecast.Task) {
        let isAssumed = task.origin == .schedule || task.origin == .host
        self.init(
            task.work,
            isAssumed: isAssumed,
            origin: task.origin.rawValue,
            takes: task.takes,
            basis: task.basis.rawValue
        )
    }
}
