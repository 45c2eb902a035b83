// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
import RunnerWire
import TaskModel

/// Reading of the runners' control channels and output streams. Launches are read in turns, within their rate limits.
/// Reading of a launch pauses while the receiver of the events has no capacity. Reading of a channel pauses while the
/// launch has too many unanswered calls.
extension LaunchLoop {
    func receive(_ launch: SupervisedLaunch) {
        let number = launch.number
        let descriptor = launch.control.descriptor
        let now = clock.monotonic
        let status = launch.control.receive(into: buffer, at: now) { takes($0, of: launch, at: now) }
        watchRefusals(of: launch)
        // Now the runner may get its plan.
        if status == .open { _ = launch.control.flush() }
        if status != .open, let descriptor { poller.remove(descriptor, .control(number)) }
        settle(launch, status)
        guard let descriptor else { return }
        if launch.control.isHeld {
            hold(descriptor, .control(number))
        } else if let due = launch.control.resumesAt {
            pause(descriptor, .control(number), until: due)
        }
    }

    /// Reports a malformed channel, and polls an open channel for the events that it needs now.
    func settle(_ launch: SupervisedLaunch, _ status: RunnerChannel.Status) {
        let number = launch.number
        if case .malformed(let message) = status { onEvent(.malformed(number, message: message)) }
        guard let descriptor = launch.control.descriptor else { return }
        poller.change(descriptor, .control(number), events: launch.control.awaited)
    }

    /// Delivers a message to the receiver of the events, and returns true. Returns false when the message has to wait:
    /// a call beyond the limit on unanswered calls waits for an answer, a completion waits for another read of its
    /// cursor after a failed one, and any message waits until the receiver has capacity.
    private func takes(_ message: RunnerMessage, of launch: SupervisedLaunch, at now: MonotonicTime) -> Bool {
        guard admitOrPause(launch.number), admits(message, of: launch) else { return false }
        return deliver(message, of: launch, at: now, mayWait: true)
    }

    private func admits(_ message: RunnerMessage, of launch: SupervisedLaunch) -> Bool {
        if launch.calls.admits(message) { return true }
        if launch.calls.reports() { onEvent(.windowExceeded(launch.number)) }
        return false
    }

    /// Delivers all messages that the runner has sent so far, whether the receiver of the events has capacity or not. A
    /// call beyond the limit on unanswered calls is dropped: only a tampered runner makes such a call, and its launch
    /// is over.
    func drainControl(of launch: SupervisedLaunch, at now: MonotonicTime) {
        let descriptor = launch.control.descriptor
        let status = launch.control.drain(into: buffer, at: now) { message in
            guard admits(message, of: launch) else { return }
            _ = deliver(message, of: launch, at: now, mayWait: false)
        }
        if status != .open, let descriptor { poller.remove(descriptor, .control(launch.number)) }
        settle(launch, status)
    }

    /// Delivers a message, unless it is a log line beyond the rate limit. The host applies that limit as well, because
    /// a plugin can bypass the runner's limit. Returns false when the message waits for another read of its cursor.
    private func deliver(
        _ message: RunnerMessage,
        of launch: SupervisedLaunch,
        at now: MonotonicTime,
        mayWait: Bool
    ) -> Bool {
        if case .log = message {
            guard launch.logRateLimit.takes(at: now) else { return true }
            reportDroppedLog(of: launch)
        }
        let read = readCursor(at: message, of: launch, at: now, mayWait: mayWait)
        if read.isDelayed { return false }
        onEvent(read.slot.map { .wrote(launch.number, $0, message) } ?? .message(launch.number, message))
        return true
    }

    func reportDroppedLog(of launch: SupervisedLaunch) {
        let count = launch.logRateLimit.reportDropped()
        if count > 0 { onEvent(.outputDropped(launch.number, .log, lines: count)) }
    }

    func readOutput(_ launch: SupervisedLaunch, _ stream: RunnerOutput) {
        guard var reader = launch.outputs[stream], let pipe = reader.descriptor else { return }
        let interest = LaunchInterest.output(launch.number, stream)
        guard admitOrPause(launch.number) else { return hold(pipe, interest) }
        let isOpen = reader.read(into: buffer, at: clock.monotonic) { deliver($0, from: stream, of: launch.number) }
        launch.outputs[stream] = reader
        if !isOpen {
            poller.remove(pipe, interest)
        } else if let due = reader.resumesAt {
            pause(pipe, interest, until: due)
        }
    }

    func deliver(_ piece: OutputReader.Piece, from stream: RunnerOutput, of number: LaunchNumber) {
        switch piece {
        case .line(let line): onEvent(.output(number, stream, line: line))
        case .dropped(let count): onEvent(.outputDropped(number, stream, lines: count))
        }
    }

    // MARK: Pausing

    /// Stops reading a descriptor until `due`. Removes it from the epoll set, as `hold` does: otherwise epoll would
    /// report a hang-up at every turn.
    func pause(_ descriptor: Descriptor, _ interest: LaunchInterest, until due: MonotonicTime) {
        poller.remove(descriptor, interest)
        paused[interest] = due
    }

    private func hold(_ descriptor: Descriptor, _ interest: LaunchInterest) {
        poller.remove(descriptor, interest)
        held.insert(interest)
    }

    func forgetPause(_ interest: LaunchInterest) {
        paused[interest] = nil
        held.remove(interest)
    }

    /// Resumes reading from a launch, because the receiver of its events has capacity again.
    func resumeReading(of launch: SupervisedLaunch) {
        resumeControl(of: launch)
        for stream in launch.outputs.keys where held.remove(.output(launch.number, stream)) != nil {
            readAgain(.output(launch.number, stream), at: clock.monotonic)
        }
    }

    /// Delivers the held messages of a launch, and resumes reading when no message has to wait any longer.
    func resumeControl(of launch: SupervisedLaunch) {
        let interest = LaunchInterest.control(launch.number)
        guard held.contains(interest) else { return }
        let now = clock.monotonic
        let status = launch.control.resume(at: now) { takes($0, of: launch, at: now) }
        if launch.control.isHeld { return }
        held.remove(interest)
        settle(launch, status)
        readAgain(interest, at: now)
    }

    func resumePaused(at now: MonotonicTime) {
        for (interest, due) in paused where due <= now {
            paused[interest] = nil
            readAgain(interest, at: now)
        }
    }

    private func readAgain(_ interest: LaunchInterest, at now: MonotonicTime) {
        guard let source = source(of: interest) else { return }
        if let due = source.resumesAt, due > now {
            paused[interest] = due
            return
        }
        do throws(SystemError) {
            try poller.add(source.descriptor, interest, events: source.events)
        } catch {
            paused[interest] = now + .seconds(1)
        }
    }

    /// The descriptor, the epoll events and the end of the reading pause of the channel, output stream or listener of
    /// an interest; nil when it is closed, and for other interests, whose reading never pauses.
    private func source(
        of interest: LaunchInterest
    ) -> (descriptor: Descriptor, events: Int, resumesAt: MonotonicTime?)? {
        switch interest {
        case .control(let number):
            guard let control = launches[number]?.control else { return nil }
            return control.descriptor.map { ($0, control.awaited, control.resumesAt) }
        case .output(let number, let stream):
            guard let reader = launches[number]?.outputs[stream] else { return nil }
            return reader.descriptor.map { ($0, BGL_READABLE, reader.resumesAt) }
        case .refusals(let number):
            return launches[number]?.refusals.map { ($0.listener, BGL_READABLE, $0.rate.resumesAt) }
        case .wakeChannel, .killTimer, .idle, .leader, .leftover, .group, .stale: return nil
        }
    }
}
