// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import SandboxPolicy
import TaskModel

/// The listener of one launch, at which refused system calls wait for the host's answer. Confined to the launch thread.
///
/// The calling thread of the plugin sleeps until the answer, so a plugin that repeats a refused call slows down only
/// itself. Answers have rate limits, so that such plugins do not occupy the launch thread: see `AnswerRate`.
struct RefusedCalls {
    /// Number of refused calls of one launch that are answered at once.
    static let burst = 5_000
    /// Number of refused calls of one launch that are answered per second after the burst.
    static let callsPerSecond = 10_000

    let listener: Descriptor
    private var reported = ReportedCalls()
    /// The rate limit of the answers to this launch.
    var rate: TokenBucket

    init(listener: Descriptor, at now: MonotonicTime) {
        self.listener = listener
        rate = AnswerRate.ofLaunch(at: now)
    }

    enum Answered {
        /// One call was answered, or none waited. The value is the call to report; nil when none waited, or when
        /// `ReportedCalls` leaves the call out.
        case call(DeniedCall?)
        /// No process of the launch can make a call any more.
        case ended
        /// The listener has failed. Calls of the launch may still wait.
        case failed(SystemError)
    }

    /// Answers one waiting call with EPERM.
    mutating func answer() -> Answered {
        var call = bgl_refused_call()
        let status = bgl_answer_refused_call(listener.number, &call)
        if status == -EPIPE { return .ended }
        if status < 0 {
            return .failed(SystemError(number: -status, attempt: "answer a refused system call of the launch"))
        }
        if status == 0 { return .call(nil) }
        let denied = DeniedCall(number: call.number, arguments: (call.arguments.0, call.arguments.1))
        return .call(reported.add(denied) ? denied : nil)
    }
}
