// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// Figures of one main plugin in a replay, including the events of its extensions.
struct PluginTally: Sendable {
    var requests = 0
    var refusals = 0
    var launches = 0
    var tasks = 0
    /// Number of launches with more than one task, without event launches.
    var batches = 0
    var largestBatch = 0
    var events = 0
    /// Time from the moment at which a request could run to its launch, one entry for each started request.
    var waits: [Duration] = []
    /// Waiting time by code of the reason, without the time for which the machine was suspended. When several reasons
    /// apply at the same time, each of them counts in full.
    var waitsByReason: [String: Duration] = [:]
    var expirations: [String: Int] = [:]
    var overruns = 0
    var outcomes: [String: Int] = [:]
    var ran: Duration = .zero
    /// The largest running time of the plugin's background launches in any 24 hours, computed as for the day budget.
    var busiestDay: Duration = .zero
    private var dayUse = PluginRecord().dayUse

    mutating func noteBackground(_ used: Duration, at now: WallTime) {
        dayUse.add(used.wholeNanoseconds, at: now)
        busiestDay = max(busiestDay, .nanoseconds(dayUse.total(at: now)))
    }
}
