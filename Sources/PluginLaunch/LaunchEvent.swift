// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import SandboxPolicy
package import TaskModel

/// An event of a launch. The events of a launch are delivered in order of occurrence: the first is `ready` or
/// `unavailable`, and a launch that became ready ends with exactly one `ended`.
package enum LaunchEvent: Sendable {
    /// A runner waits for its plan. It has loaded no plugin code.
    case ready(LaunchNumber, RunnerProcess)
    case unavailable(LaunchNumber, LaunchError)
    /// A task has written a newer version of its cursor. Read at the message, which the event delivers, too; the message
    /// is nil when the read followed later or the processes of the launch have ended.
    case wrote(LaunchNumber, CursorSlot, RunnerMessage?)
    /// The launch has no control group, although launches have them: its limits of memory and processes are not
    /// enforced. Follows `ready`.
    case unlimited(LaunchNumber, cause: String)
    /// The launcher killed the running launch because of a failure of the host: it cannot set the limits of the launch,
    /// or cannot answer its refused system calls. `ended` follows.
    case failedByHost(LaunchNumber, message: String)
    /// A message of the runner. Log lines beyond the rate limit are dropped.
    case message(LaunchNumber, RunnerMessage)
    /// The sandbox refused a system call of the launch. Equal calls are reported once, and at most
    /// `ReportedCalls.ungrantableLimit` of a launch that no grant allows.
    case refused(LaunchNumber, DeniedCall)
    /// The control channel carried an invalid message, or the runner does not read its messages. The channel is closed;
    /// the process may still run.
    case malformed(LaunchNumber, message: String)
    /// The launch made more calls than may be unanswered at once (`CallWindow.limit`), which an unmodified runner
    /// prevents. Reported once per launch. The excess calls are delivered as earlier ones are answered, and dropped
    /// at the kill time or the end of the launch.
    case windowExceeded(LaunchNumber)
    /// A line of output without its line feed. A line of more than 8 KiB is split, and then invalid UTF-8 is repaired.
    case output(LaunchNumber, RunnerOutput, line: String)
    /// The number of lines that were dropped since the last such event, because they exceeded the rate limit.
    case outputDropped(LaunchNumber, RunnerOutput, lines: Int)
    /// The launch thread killed the launch at its kill time. Messages that the runner had sent by then are delivered
    /// before this event. `ended` follows, after messages that the runner sent before the signal reached it.
    case killTimePassed(LaunchNumber)
    /// No process of the launch is left, and all its messages and output have been delivered.
    case ended(LaunchNumber, RunnerEnd)
}

extension LaunchEvent {
    package var launch: LaunchNumber {
        switch self {
        case .ready(let launch, _), .unavailable(let launch, _), .wrote(let launch, _, _), .unlimited(let launch, _),
            .failedByHost(let launch, _), .message(let launch, _), .refused(let launch, _), .malformed(let launch, _),
            .windowExceeded(let launch),
            .output(let launch, _, _), .outputDropped(let launch, _, _), .killTimePassed(let launch),
            .ended(let launch, _):
            launch
        }
    }
}

/// Source of a line of output.
package enum RunnerOutput: String, Hashable, Sendable {
    case standardOutput = "stdout"
    case standardError = "stderr"
    /// A line of the ABI's `log`, received as a message on the control channel.
    case log
}

/// The end of a launch, as reported by the kernel and the process itself. It contains no blame.
package struct RunnerEnd: Hashable, Sendable {
    package let termination: ProcessTermination
    package let lastWords: LastWords?
    /// Whether the launcher killed the launch: on request, at its kill time, because of a failure of the host, or
    /// because the launcher was closed, even after the first process had ended.
    package let wasKilled: Bool
    /// The number of leftover processes: processes of the launch that still ran when its first process ended, and were
    /// killed then.
    package let leftRunning: Int

    package init(termination: ProcessTermination, lastWords: LastWords?, wasKilled: Bool, leftRunning: Int) {
        self.termination = termination
        self.lastWords = lastWords
        self.wasKilled = wasKilled
        self.leftRunning = leftRunning
    }
}
