// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

// The end of a launch, from the host's stop message to the end of the process. The thread "bgtask-stop" goes through the
// stages; the control thread bounds those in which code of the plugin runs.
extension Launch {
    enum EndStage {
        /// Callbacks return, the plugin's own threads fall silent. Every call is answered as before.
        case settling(EndSchedule)
        /// `stop`, then the handlers of assertions.
        case stopping(deadline: MonotonicTime)
        /// Open calls get their answers; new ones are refused.
        case answering
        case flushing(Flush)
    }

    /// The writing out of what the plugin printed.
    struct Flush {
        let deadline: MonotonicTime
        /// Whose locks others held just before.
        let lockedStreams: [String]
    }

    /// Never blocks: called by the control thread. A second stop message changes nothing.
    func stop() {
        let schedule = EndSchedule(begin: .now, grace: plan.grace)
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
        enter(.stopping(deadline: schedule.stopDeadline(calledAt: .now)))
        if let hooks { activity.callback { hooks.stop() } }
        closeTables()
        awaitAssertionCalls()
        enter(.answering)
        awaitAnswers(until: schedule.stoppedBy)
        for change in watch.changes() { violation("BGT-ABI-16", change) }
        flushOutput(by: schedule.flushDeadline(begunAt: .now))
        finish()
    }

    /// From here on every new call returns `BGT_ENDED` and leaves no trace with the host.
    private func closeTables() {
        let (handlers, expirationHandlers, assertionHandlers) = state.withLock { state in
            state.hasEnded = true
            return (state.registrations.end(), state.tasks.end(), state.assertions.close())
        }
        // A submission that was admitted before and has not been sent either gets a place now, or is not sent.
        calls.close()
        for handler in handlers { handler.release() }
        for handler in expirationHandlers { handler.release() }
        for handler in assertionHandlers { handler.release() }
    }

    /// The host may have recorded what it has not answered yet: such a caller gets the answer, or none at all because
    /// the process ends.
    private func awaitAnswers(until deadline: MonotonicTime) {
        let unanswered = calls.drain(until: deadline)
        if unanswered == 0 { return }
        let message =
            "the host did not answer \(unanswered) calls before the process had to end; the journal has their outcome"
        channel.send(.log(.warning, message: message))
    }

    private func enter(_ stage: EndStage) {
        endStage.withLock { $0 = stage }
        channel.wake()
    }

    /// The last message, and the end of the process. No atexit function runs, no destructor: they belong to the plugin.
    func finish() -> Never {
        if isFinishing.exchange(true, ordering: .acquiringAndReleasing) {
            // Another thread is at it and ends this one too.
            while true { pause() }
        }
        sendLastReports()
        channel.send(.stopped, isLast: true)
        channel.flushWaiting()
        _exit(0)
    }

    /// Writes out what the plugin printed and libc still holds. A stream's lock may be held for good, and nothing can
    /// take it away: the control thread bounds this.
    private func flushOutput(by deadline: MonotonicTime) {
        enter(.flushing(Flush(deadline: deadline, lockedStreams: OutputStreams.locked)))
        fflush(nil)
    }

    // MARK: On the control thread

    /// When the present stage is cut off; nil while nothing of the plugin has to be bounded.
    var stageDeadline: MonotonicTime? {
        switch endStage.withLock({ $0 }) {
        case nil, .answering: nil
        // Bounded by itself, unless the thread that does it never began.
        case .settling(let schedule): schedule.stoppedBy
        case .stopping(let deadline): deadline
        case .flushing(let flush): flush.deadline
        }
    }

    /// Ends the process at the deadline of the present stage, with a message that names the cause.
    func cutStage(at now: MonotonicTime) {
        guard let deadline = stageDeadline, now >= deadline else { return }
        switch endStage.withLock({ $0 }) {
        case nil, .answering: return
        case .settling:
            let message = "no thread was available to end the launch in order; stop was not called"
            channel.send(.log(.warning, message: message))
        case .stopping:
            let message =
                "stop, or the handler of an assertion, did not return within the grace period of \(plan.grace);"
                + " it was cut off; shorten it"
            channel.send(.log(.warning, message: message))
        case .flushing(let flush): explainCut(flush)
        }
        finish()
    }

    private func explainCut(_ flush: Flush) {
        // Flushing holds a lock too, but not before it began.
        let held = flush.lockedStreams.filter(OutputStreams.locked.contains)
        if held.isEmpty {
            let message = "buffered file output was not flushed in time and is lost; close files after use"
            channel.send(.log(.warning, message: message))
        } else {
            violation(
                "BGT-ABI-16",
                "a thread holds the lock of \(held.joined(separator: " and ")), so output there is lost;"
                    + " unlock it before the last task is completed"
            )
        }
    }
}
