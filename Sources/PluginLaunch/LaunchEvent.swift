// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import TaskModel

/// What became of a launch, in the order in which it happened. Each launch begins with `ready` or `unavailable`, and one
/// that became ready ends with `ended`, once; nothing follows that.
package enum LaunchEvent: Sendable {
    /// A runner waits for its plan; no code of any plugin is in it.
    case ready(LaunchNumber, RunnerProcess)
    case unavailable(LaunchNumber, LaunchError)
    /// Log lines among them only as many as are kept.
    case message(LaunchNumber, RunnerMessage)
    /// The control channel carried what no runner sends, or nobody reads it. It is closed; the process may still run.
    case malformed(LaunchNumber, message: String)
    /// More calls were unanswered at once than the window allows, which a runner of ours prevents. Reported once; the calls
    /// beyond the window are delivered as earlier ones are answered, and dropped when the launch ends before.
    case windowExceeded(LaunchNumber)
    /// At most 8 KiB of text, without its line feed; invalid UTF-8 is repaired.
    case output(LaunchNumber, RunnerOutput, line: String)
    /// So many lines came faster than they are kept.
    case outputDropped(LaunchNumber, RunnerOutput, lines: Int)
    /// The kill time passed and the launch was killed. What its runner had sent by then comes before. Its end follows, after
    /// what the runner could still send before the signal reached it.
    case killedAtDeadline(LaunchNumber)
    /// No process of the launch is left, and all that it sent has been told before.
    case ended(LaunchNumber, RunnerEnd)
}

extension LaunchEvent {
    package var launch: LaunchNumber {
        switch self {
        case .ready(let launch, _), .unavailable(let launch, _), .message(let launch, _), .malformed(let launch, _),
            .windowExceeded(let launch),
            .output(let launch, _, _), .outputDropped(let launch, _, _), .killedAtDeadline(let launch),
            .ended(let launch, _):
            launch
        }
    }
}

/// Where a plugin's line came from.
package enum RunnerOutput: String, Hashable, Sendable {
    case standardOutput = "stdout"
    case standardError = "stderr"
    /// The ABI's `log`, as a message on the control channel.
    case log
}

/// What the kernel and the process itself left behind. Judges nobody.
package struct RunnerEnd: Hashable, Sendable {
    package let termination: ProcessTermination
    package let lastWords: LastWords?
    /// Whether the launcher was told to kill it before it ended.
    package let wasKilled: Bool
    /// Other processes of it that were still running when its first one had ended, and were ended then.
    package let leftRunning: Int
}
