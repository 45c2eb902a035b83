// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The running launches by the number of their runner's process. Safe to use from any thread.
final class RunnerDirectory: Sendable {
    private struct State {
        var launches: [Int32: LaunchNumber] = [:]
        var processes: [LaunchNumber: Int32] = [:]
        var containers: [LaunchNumber: PluginIdentifier] = [:]
    }

    private let state = Mutex(State())
    /// Signals that launches have begun since the previous element. The first element comes without a launch.
    let beginnings: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    init() {
        (beginnings, begin) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        begin.yield()
    }

    /// The runner's process number of each launch.
    var processes: [LaunchNumber: Int32] { state.withLock { $0.processes } }

    /// The main plugin of each launch whose plan was sent. Its identifier is the name of the launch's container.
    var containers: [LaunchNumber: PluginIdentifier] { state.withLock { $0.containers } }

    subscript(process: Int32) -> LaunchNumber? { state.withLock { $0.launches[process] } }

    func began(_ launch: LaunchNumber, in process: Int32) {
        state.withLock { state in
            state.launches[process] = launch
            state.processes[launch] = process
        }
        begin.yield()
    }

    /// Records the main plugin of a launch when its plan is sent. No effect for a launch without a process.
    func sent(_ launch: LaunchNumber, of main: PluginIdentifier) {
        state.withLock { state in
            if state.processes[launch] != nil { state.containers[launch] = main }
        }
    }

    func ended(_ launch: LaunchNumber) {
        state.withLock { state in
            state.containers[launch] = nil
            guard let process = state.processes.removeValue(forKey: launch) else { return }
            if state.launches[process] == launch { state.launches[process] = nil }
        }
    }
}
