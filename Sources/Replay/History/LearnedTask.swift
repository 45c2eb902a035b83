// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A row of the table of tasks that a replay learned from a history: the requests of one task and source, or a plugin
/// that is left out as a whole.
package struct LearnedTask: Encodable, Hashable, Sendable {
    package let plugin: String
    /// The task identifier; nil in the row of a plugin.
    package let task: String?
    /// The name of the source; nil in the row of a plugin.
    package let source: String?
    /// Number of requests in the history, or of launches in the row of a plugin.
    package let requests: Int
    /// The interval at which the replay repeats the requests; nil when it does not.
    package let interval: Int64?
    /// The median running time; nil when no run began.
    package let runTime: Int64?
    /// Why the replay does not repeat the requests; nil when it does.
    package let leftOut: String?

    private enum CodingKeys: String, CodingKey {
        case plugin, task, source, requests
        case interval = "interval_ns"
        case runTime = "run_time_ns"
        case leftOut = "left_out"
    }

    init(
        _ plugin: PluginIdentifier,
        task: TaskIdentifier? = nil,
        source: RequestSource? = nil,
        requests: Int,
        interval: Duration? = nil,
        runTime: Duration? = nil,
        leftOut: String? = nil
    ) {
        self.plugin = plugin.text
        self.task = task?.text
        self.source = source?.name
        self.requests = requests
        self.interval = interval?.wholeNanoseconds
        self.runTime = runTime?.wholeNanoseconds
        self.leftOut = leftOut
    }
}
