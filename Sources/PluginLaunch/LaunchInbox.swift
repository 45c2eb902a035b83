// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
import Synchronization
import TaskModel

/// Queue of commands from other threads for the launch thread, in order of arrival. It executes no command.
final class LaunchInbox: Sendable {
    enum Command: Sendable {
        /// Take an idle runner for the launch, or start a runner. `program` is the path of a runner in a main bundle,
        /// which is always started; nil for the ordinary runner.
        case take(LaunchNumber, program: String?)
        case keepIdle(Int)
        case limit(LaunchNumber, LaunchResources)
        case send([UInt8], LaunchNumber, isAnswer: Bool)
        /// Read the cursors of these tasks, which the runner receives next.
        case readCursors([TaskID], LaunchNumber)
        /// The receiver of the launch's events has capacity for messages again.
        case resume(LaunchNumber)
        case setKillTime(MonotonicTime?, LaunchNumber)
        case kill(LaunchNumber)
        case afterKillTimes(@Sendable () -> Void)
        case endStale([RunnerProcess], users: Set<UInt32>, CheckedContinuation<[UnclaimedProcess], Never>)
        case close(CheckedContinuation<Void, Never>?)
    }

    private struct State {
        var commands: [Command] = []
        var isFinished = false
    }

    let wakeChannel: Descriptor
    private let state = Mutex(State())

    init() throws(SystemError) {
        wakeChannel = Descriptor(owning: try SystemError.check(bgl_eventfd_create(), "create an eventfd"))
    }

    func put(_ command: Command) {
        let wakes: Bool? = state.withLock { state in
            if state.isFinished { return nil }
            state.commands.append(command)
            return state.commands.count == 1
        }
        switch wakes {
        case true?: bgl_eventfd_signal(wakeChannel.number)
        case false?: break
        case nil: Self.abandon([command])
        }
    }

    func takeAll() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Closes the queue. The commands in it and all later commands are abandoned: callers that wait for a command are
    /// resumed, and the functions of `afterKillTimes` are called.
    func finish() {
        let rest = state.withLock { state in
            state.isFinished = true
            defer { state.commands = [] }
            return state.commands
        }
        Self.abandon(rest)
    }

    private static func abandon(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .afterKillTimes(let body): body()
            case .endStale(_, _, let waiter): waiter.resume(returning: [])
            case .close(let waiter): waiter?.resume()
            case .take, .keepIdle, .limit, .send, .readCursors, .resume, .setKillTime, .kill: break
            }
        }
    }
}
