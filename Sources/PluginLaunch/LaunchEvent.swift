// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import TaskModel

/// An event of a launch, delivered in order of occurrence. Each launch begins with `ready` or `unavailable`. A launch
/// that became ready ends with exactly one `ended`, its last event.
package enum LaunchEvent: Sendable {
    /// A runner waits for its plan; it has loaded no plugin code.
    case ready(LaunchNumber, RunnerProcess)
    case unavailable(LaunchNumber, LaunchError)
    /// A message of the runner. Log lines beyond the rate limit are dropped.
    case message(LaunchNumber, RunnerMessage)
    /// The control channel carried an invalid message, or the runner does not read it. The channel is closed; the
    /// process may still run.
    case malformed(LaunchNumber, message: String)
    /// More calls were unanswered at once than the window allows, which an unmodified runner prevents. Reported once.
    /// The excess calls are delivered as earlier ones are answered, and dropped when the launch ends first.
    case windowExceeded(LaunchNumber)
    /// A line of output: at most 8 KiB, without its line feed. Invalid UTF-8 is repaired.
    case output(LaunchNumber, RunnerOutput, line: String)
    /// The number of lines that were dropped because they exceeded the rate limit.
    case outputDropped(LaunchNumber, RunnerOutput, lines: Int)
    /// The kill time passed and the launch was killed. Messages that the runner had sent by then are delivered before.
    /// `ended` follows, after the messages that the runner sent before the signal reached it.
    case killedAtDeadline(LaunchNumber)
    /// No process of the launch is left, and all its messages and output have been delivered.
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

/// Source of a line of output.
package enum RunnerOutput: String, Hashable, Sendable {
    case standardOutput = "stdout"
    case standardError = "stderr"
    /// The ABI's `log`, received as a message on the control channel.
    case log
}

/// The end of a launch, as reported by the kernel and the process itself. It assigns no blame.
package struct RunnerEnd: Hashable, Sendable {
    package let termination: ProcessTermination
    package let lastWords: LastWords?
    /// Whether the launch was killed, on request or at its kill time.
    package let wasKilled: Bool
    /// The number of leftover processes: they still ran when the first process ended, and were killed then.
    package let leftRunning: Int
}
