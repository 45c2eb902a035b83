// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
package import Logging
package import RunnerWire
package import TaskModel

/// Starts runners, carries messages, kills processes on request or at the time that was set, and collects what they leave.
/// Decides nothing: a kill time is the caller's, and what a message means is not its concern.
///
/// All of it happens on one thread with one epoll, which also starts the processes. The kernel ties a child's death
/// signal to the thread that started it, so such a thread has to exist; and with sockets, pipes and process descriptors
/// in one wait, nothing that a launch sent can be overtaken by its end. Three channels per launch that come and go by
/// the hundreds would cost an event-loop library more than they move.
///
/// Every event is delivered on that thread, one at a time. The handler may call the launcher, and must not block: while it
/// runs no kill time is kept. A receiver that is slower than the runners refuses messages through `hasCapacity`: the
/// launcher then stops reading that launch's channel and streams, so that the runner waits and the host's memory stays flat.
package final class Launcher: Sendable {
    private let inbox: LaunchInbox

    /// Opens the runner's binary, makes this process the one that orphans fall to, and starts the thread.
    ///
    /// - Parameters:
    ///   - path: looked up once; a later upgrade of the file changes nothing.
    ///   - hasCapacity: whether the receiver takes a further message of the launch. After false nothing more is read of
    ///     that launch until `resumeMessages(of:)`, except what is drained at its kill time and its end. Called on the
    ///     launch thread; must not block.
    package init(
        runner path: String,
        environment: RunnerEnvironment,
        controlGroups: ControlGroupPlacement,
        logger: Logger,
        hasCapacity: @escaping @Sendable (LaunchNumber) -> Bool = { _ in true },
        onEvent: @escaping @Sendable (LaunchEvent) -> Void
    ) throws(LaunchError) {
        guard let owner = MarkOwner.current else {
            throw LaunchError(code: .refused, message: "cannot watch processes: /proc does not show this one; mount it")
        }
        let station = try RunnerStation(
            runner: path,
            environment: environment,
            groups: controlGroups,
            owner: owner,
            logger: logger
        )
        do throws(SystemError) {
            try SystemError.check(bgl_become_subreaper(), "become the parent of orphaned processes")
            let inbox = try LaunchInbox()
            let children = try ChildList()
            let timer = Descriptor(
                owning: try SystemError.check(bgl_monotonic_timer_create(), "create a timer")
            )
            let poller = try LaunchPoller()
            try poller.add(inbox.bell, .bell)
            try poller.add(timer, .killTimer)
            self.inbox = inbox
            let status = DetachedThread.start("launches") {
                LaunchLoop(
                    inbox: inbox,
                    poller: poller,
                    killTimer: timer,
                    station: station,
                    children: children,
                    owner: owner,
                    logger: logger,
                    hasCapacity: hasCapacity,
                    onEvent: onEvent
                ).run()
            }
            try SystemError.check(status, "start the launch thread")
        } catch {
            station.groups?.remove()
            throw LaunchError(error, purpose: "begin to launch runners")
        }
    }

    deinit { inbox.put(.close(nil)) }

    /// Starts a runner; `ready` or `unavailable` follows.
    package func take(for launch: LaunchNumber) { inbox.put(.take(launch)) }

    /// Sends in order, as fast as the runner reads. A launch that has no runner any more takes no messages.
    package func send(_ message: HostMessage, to launch: LaunchNumber) throws(WireError) {
        inbox.put(.send(try message.frame(), launch, isAnswer: message.isAnswer))
    }

    /// Takes up reading a launch whose receiver had no capacity.
    package func resumeMessages(of launch: LaunchNumber) { inbox.put(.resume(launch)) }

    /// Sets when the launch is killed, in place of the time set before; nil for never. The launch thread keeps the time
    /// without asking: it kills every process of the launch, delivers what the runner had sent by then, reports
    /// `killedAtDeadline`, and `ended` follows. A later time, or nil, that is set before the kill time passes withdraws the
    /// kill. A time that has passed kills at once; a launch that has ended, or has none of its processes yet, has no kill
    /// time.
    package func setKillTime(_ time: MonotonicTime?, of launch: LaunchNumber) {
        inbox.put(.setKillTime(time, launch))
    }

    /// Calls `body` after the launches whose kill time has passed were killed, and `killedAtDeadline` and what their
    /// runners had sent were delivered.
    ///
    /// - Parameter body: called once, on the launch thread, or on the caller's when that has ended; must not wait.
    package func afterKillTimes(_ body: @escaping @Sendable () -> Void) { inbox.put(.afterKillTimes(body)) }

    /// Ends every process of the launch; `ended` follows when none is left.
    package func kill(_ launch: LaunchNumber) { inbox.put(.kill(launch)) }

    /// Ends what an earlier host left running, and returns when it is gone: these processes, if they still are the ones
    /// that were recorded, and whatever carries the mark or lies in the control group of a host that no longer lives.
    package func endStale(_ processes: [RunnerProcess]) async {
        await withCheckedContinuation { inbox.put(.endStale(processes, $0)) }
    }

    /// Ends every launch, and returns when the last one's `ended` was delivered. Nothing can be launched afterwards.
    package func close() async {
        await withCheckedContinuation { inbox.put(.close($0)) }
    }
}
