// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
package import Logging
package import RunnerWire
package import TaskModel

/// Starts runners, carries messages, ends processes when told, and collects what they leave. Decides nothing: it has no
/// timer for a launch, and no idea of what a message means.
///
/// All of it happens on one thread with one epoll, which also starts the processes. The kernel ties a child's death
/// signal to the thread that started it, so such a thread has to exist; and with sockets, pipes and process descriptors
/// in one wait, nothing that a launch sent can be overtaken by its end. Three channels per launch that come and go by
/// the hundreds would cost an event-loop library more than they move.
///
/// Every event is delivered on that thread, one at a time. The handler may call the launcher, and must not block: while it
/// runs no runner is read, which is what slows a runner down that talks faster than the host listens.
package final class Launcher: Sendable {
    private let inbox: LaunchInbox

    /// Opens the runner's binary, makes this process the one that orphans fall to, and starts the thread.
    ///
    /// - Parameter path: looked up once; a later upgrade of the file changes nothing.
    package init(
        runner path: String,
        environment: RunnerEnvironment,
        controlGroups: ControlGroupPlacement,
        logger: Logger,
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
            let waiting = try Poller.makeDescriptor(ringing: inbox.bell)
            self.inbox = inbox
            let status = LaunchThread.start {
                LaunchLoop(
                    inbox: inbox,
                    poller: Poller(waiting),
                    station: station,
                    children: children,
                    owner: owner,
                    logger: logger,
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
        inbox.put(.send(try message.frame(), launch))
    }

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
