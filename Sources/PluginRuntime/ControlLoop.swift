// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// The loop of the control thread. It handles the host's messages, the launch's deadlines and the unsent backlog. The
/// thread runs no plugin code and never waits for plugin code.
struct ControlLoop {
    private let launch: RunnerLaunch
    private let descriptor: Int32
    private let wakeChannel: WakeChannel
    private var decoder: FrameDecoder<HostMessage>
    private var hasExpired = false
    private var hasCheckedEntry = false
    private var hasBacklog = false

    /// Creates the loop, on the control thread.
    ///
    /// - Parameter decoder: the decoder that decoded the plan, with the bytes that followed the plan.
    init(_ launch: RunnerLaunch, descriptor: Int32, wakeChannel: WakeChannel, decoder: FrameDecoder<HostMessage>) {
        self.launch = launch
        self.descriptor = descriptor
        self.wakeChannel = wakeChannel
        self.decoder = decoder
    }

    mutating func run() -> Never {
        obeyMessages()
        while true {
            expireWhenDue()
            var events = [
                pollfd(fd: descriptor, events: Int16(hasBacklog ? POLLIN | POLLOUT : POLLIN), revents: 0),
                pollfd(fd: wakeChannel.listening, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&events, 2, timeout) >= 0 else { continue }
            if events[1].revents != 0 { wakeChannel.clear() }
            hasBacklog = launch.channel.flush()
            // Any event except POLLOUT means that bytes, or the end of the stream, can be read.
            if events[0].revents & ~Int16(POLLOUT) != 0 { receive() }
        }
    }

    private var timeout: Int32 {
        let moments = [
            hasExpired ? nil : launch.plan.deadline, hasCheckedEntry ? nil : launch.plan.entryDeadline,
            launch.nextReport, launch.stageDeadline,
        ]
        return moments.compactMap(\.self).min()?.millisecondsFromNow ?? -1
    }

    private mutating func expireWhenDue() {
        if !hasCheckedEntry, .now >= launch.plan.entryDeadline {
            hasCheckedEntry = true
            launch.warnOfEntry()
        }
        if !hasExpired, let deadline = launch.plan.deadline, .now >= deadline {
            hasExpired = true
            launch.expireBudget()
        }
        launch.sendReports()
        launch.cutStage(at: .now)
    }

    private mutating func receive() {
        switch launch.channel.receive(waits: false) {
        case .nothingYet:
            return
        case .end:
            // The host is gone: no outcome of this launch can be recorded any more.
            _exit(RunnerExit.hostIsGone)
        case .bytes(let bytes):
            decoder.append(bytes)
            obeyMessages()
        }
    }

    private mutating func obeyMessages() {
        do {
            while let message = try decoder.next() { obey(message) }
        } catch {
            RunnerExit.end(
                RunnerExit.brokenWire,
                "the runner ends the launch: the host sent an invalid message, or the plugin read a part of a message"
                    + " from the runner's socket: \(error.message); do not read descriptors that the plugin did not"
                    + " open, and install host and runner from one release"
            )
        }
    }

    private mutating func obey(_ message: HostMessage) {
        switch message {
        case .confine, .plan:
            RunnerExit.endBrokenWire("the host sent a second sandbox or plan, but a runner runs only one launch")
        case .deliver(let task): launch.deliver(task)
        case .expire(let tasks, let reason): launch.expire(.tasks(tasks), reason, isAnnounced: false)
        case .yieldCursor(let task): launch.yieldCursor(of: task)
        case .expireAssertions(let reason): launch.expireAssertions(reason)
        case .submitted(let call, let number): launch.calls.answer(call, .submitted(number))
        case .refused(let call, let refusal): launch.calls.answer(call, .refused(refusal))
        case .cancelled(let call, let isRecorded): launch.calls.answer(call, .cancelled(isRecorded: isRecorded))
        case .pending(let call, let summaries): launch.calls.answer(call, .pending(summaries))
        case .cursorStored(let call, let isRecorded):
            launch.calls.answer(call, .cursorStored(isRecorded: isRecorded))
        case .pushToken(let call, let token): launch.calls.answer(call, .pushToken(token))
        case .transferBegun(let call, let number): launch.calls.answer(call, .transferBegun(number))
        case .transfers(let call, let transfers): launch.calls.answer(call, .transfers(transfers))
        case .stop: launch.stop()
        }
    }
}
