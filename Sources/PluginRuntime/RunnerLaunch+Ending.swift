// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

// The end of a launch, from the host's stop message to the end of the process. The thread "bgtask-stop" runs the
// stages. The control thread enforces deadlines on the stages that run plugin code.
extension RunnerLaunch {
    enum EndStage {
        /// First stage: callbacks return, and calls in progress are answered. New calls are still possible.
        case settling(EndSchedule)
        /// Second stage: `stop` runs, and running handlers of assertions return. New calls are refused once `stop` has
        /// returned.
        case stopping(deadline: MonotonicTime)
        /// Third stage: open calls receive their answers.
        case answering
        case flushing(Flush)
    }

    /// The last stage: flushing the output that libc still buffers.
    struct Flush {
        let deadline: MonotonicTime
        /// Names of the streams whose locks other threads held just before the flush.
        let lockedStreams: [String]
    }

    /// Starts the end of the launch, on a thread of its own. Called by the control thread; never blocks. A second stop
    /// message has no effect.
    func stop() {
        let quiet = state.withLock { $0.hooks?.quietPeriod } ?? .zero
        let schedule = EndSchedule(begin: .now, gracePeriod: plan.gracePeriod, quietPeriod: quiet)
        let isFirst = endStage.withLock { stage in
            guard stage == nil else { return false }
            stage = .settling(schedule)
            return true
        }
        if isFirst { onThread(named: "bgtask-stop") { self.end(schedule) } }
    }

    private func end(_ schedule: EndSchedule) -> Never {
        let hooks = state.withLock { $0.hooks }
        activity.settle(schedule, PluginThreads(includeMain: hooks?.offersMain == true))
        mainLoop.skip()
        enter(.stopping(deadline: schedule.stopDeadline(calledAt: .now)))
        // Memory that `stop` frees gets other contents: a thread that still follows a pointer in it crashes.
        if plan.imitation.contains(.strict) { bgl_fill_freed_memory(Self.freedByte) }
        if let hooks { activity.callback { hooks.stop() } }
        closeTables()
        awaitAssertionCalls()
        enter(.answering)
        awaitAnswers(until: schedule.stoppedBy)
        for change in watch.changes() { violation(change.kind, change.message) }
        if plan.imitation.contains(.strict) { reportIneffectiveCalls() }
        flushOutput(by: schedule.flushDeadline(begunAt: .now))
        finish()
    }

    /// The content of freed memory on a strict host. As an address it is invalid on every machine.
    private static let freedByte: Int32 = 0xa5

    /// The time in which a strict host sees calls after `stop`, and crashes of threads that run on.
    private static let lateCallMicroseconds: UInt32 = 50_000

    /// Waits for `lateCallMicroseconds`, so that threads of the plugin can make calls, each of which is a violation
    /// now. Then reports whether a forked process has called the host. For a strict host.
    private func reportIneffectiveCalls() {
        usleep(Self.lateCallMicroseconds)
        if ForkedProcess.hasCalled {
            violation(
                .calledInFork,
                "a forked process called the host, which had no effect; call the host in the process of the launch"
            )
        }
    }

    /// Closes all tables. Later calls that return a status return `BGT_ENDED` and have no effect. A strict host gets a
    /// report of each. Log lines are still sent.
    private func closeTables() {
        let (handlers, expirationHandlers, assertionHandlers) = state.withLock { state in
            state.hasEnded = true
            slots.closeAll()
            return (state.registrations.end(), state.tasks.end(), state.assertions.close())
        }
        // A submission that was admitted before, but is still unsent, either gets a place before the close or is not
        // sent.
        calls.close()
        for handler in handlers { handler.release() }
        for handler in expirationHandlers { handler.release() }
        for handler in assertionHandlers { handler.release() }
    }

    /// Blocks until open calls are answered, or until `deadline`. The host may have recorded a call that it has not
    /// answered by then. The caller still receives the answer, or the process ends first.
    private func awaitAnswers(until deadline: MonotonicTime) {
        let unanswered = calls.drain(until: deadline)
        if unanswered == 0 { return }
        let message =
            "the process has to end before the host has answered all calls of the plugin (unanswered: \(unanswered));"
            + " the journal has the outcomes of submissions and cancellations"
        channel.send(.log(.warning, message: message))
    }

    private func enter(_ stage: EndStage) {
        endStage.withLock { $0 = stage }
        channel.wake()
    }

    /// Sends the last message and ends the process. No atexit function and no destructor runs, because they belong to
    /// the plugin.
    func finish() -> Never {
        if isFinishing.exchange(true, ordering: .acquiringAndReleasing) {
            // Another thread already finishes; it ends the process with this thread.
            while true { pause() }
        }
        sendLastReports()
        channel.send(.stopped, isLast: true)
        channel.flushWaiting()
        _exit(0)
    }

    /// Flushes the output that libc still buffers. Another thread may hold the lock of a stream forever, so the control
    /// thread enforces the deadline.
    private func flushOutput(by deadline: MonotonicTime) {
        enter(.flushing(Flush(deadline: deadline, lockedStreams: OutputStreams.locked)))
        fflush(nil)
    }

    // MARK: On the control thread

    /// Deadline of the current stage; nil before the host's stop message, and in the stage `answering`.
    var stageDeadline: MonotonicTime? {
        switch endStage.withLock({ $0 }) {
        case nil, .answering: nil
        // This stage enforces its own deadline, unless its thread never started.
        case .settling(let schedule): schedule.stoppedBy
        case .stopping(let deadline): deadline
        case .flushing(let flush): flush.deadline
        }
    }

    /// Ends the process if the deadline of the current stage has passed, with a message that names the cause.
    func cutStage(at now: MonotonicTime) {
        guard let deadline = stageDeadline, now >= deadline else { return }
        switch endStage.withLock({ $0 }) {
        case nil, .answering: return
        case .settling:
            let message =
                "no thread was available to end the launch in order, so the plugin's stop function was not called;"
                + " raise the limit that was reached: limits.processes in the plugin's manifest, or, with a restart of"
                + " the host, launch-limits.processes in its configuration or TasksMax= of bgtaskd's service"
            channel.send(.log(.warning, message: message))
        case .stopping:
            let message =
                "the plugin's stop function, or a handler of an assertion, did not return in time: at most the grace"
                + " period of \(plan.gracePeriod), less after late callbacks; the runner ended the process; let"
                + " callbacks, the function and the handlers return sooner"
            channel.send(.log(.warning, message: message))
        case .flushing(let flush): explainCut(flush)
        }
        finish()
    }

    private func explainCut(_ flush: Flush) {
        // The flush holds a lock too, but it did not before it began.
        let held = flush.lockedStreams.filter(OutputStreams.locked.contains)
        if held.isEmpty {
            let message = "buffered file output was not flushed in time and is lost; close files after use"
            channel.send(.log(.warning, message: message))
        } else {
            violation(
                .heldStream,
                "a thread holds the lock of \(held.joined(separator: " and ")), so buffered output there is lost;"
                    + " release each lock before the last task is completed"
            )
        }
    }
}
