// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// A system call that the sandbox of a launch refused.
package struct RefusedCall: Hashable, Sendable {
    /// The number of the system call on this architecture.
    package let number: Int32
    /// The arguments that decide about the refusal: family and type of `socket`, flags of `clone`; 0 otherwise.
    package let first: UInt64
    package let second: UInt64
}

/// The listener of one launch, at which refused system calls wait for the host's answer. Confined to the launch thread.
///
/// The calling thread of the plugin sleeps until the answer, so a plugin that repeats a refused call slows down only
/// itself. Answers have rate limits, so that such plugins do not occupy the launch thread: see `AnswerRate`.
struct RefusedCalls {
    /// Maximum number of different calls of one launch that are reported.
    static let reportLimit = 64
    /// Number of refused calls of one launch that are answered at once.
    static let burst = 5_000
    /// Number of refused calls of one launch that are answered per second after the burst.
    static let callsPerSecond = 10_000

    let listener: Descriptor
    private var reported: Set<RefusedCall> = []
    /// The rate limit of the answers to this launch.
    var rate: TokenBucket

    init(listener: Descriptor, at now: MonotonicTime) {
        self.listener = listener
        rate = AnswerRate.ofLaunch(at: now)
    }

    enum Answered {
        /// One call was answered, or none waited. The value is the call to report; nil when none waited, or when the
        /// call was reported before or exceeds `reportLimit`.
        case call(RefusedCall?)
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
        let refused = RefusedCall(number: call.number, first: call.arguments.0, second: call.arguments.1)
        guard status == 1, reported.count < Self.reportLimit, reported.insert(refused).inserted else {
            return .call(nil)
        }
        return .call(refused)
    }
}
