// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import Synchronization
import TaskModel

/// Records every event of a launcher. Tests can wait for an event, without a timeout: a test that waits in vain hangs.
final class EventLog: Sendable {
    private struct State {
        var events: [LaunchEvent] = []
        var waiters: [@Sendable (LaunchEvent) -> Bool] = []
    }

    private let state = Mutex(State())

    var events: [LaunchEvent] { state.withLock { $0.events } }

    func add(_ event: LaunchEvent) {
        state.withLock { state in
            state.events.append(event)
            state.waiters.removeAll { $0(event) }
        }
    }

    /// Every event, past and future, in order.
    var all: AsyncStream<LaunchEvent> {
        AsyncStream { continuation in
            state.withLock { state in
                for event in state.events { continuation.yield(event) }
                state.waiters.append { event in
                    continuation.yield(event)
                    return false
                }
            }
        }
    }

    /// Waits for the first value that `pick` returns for an event, past or future.
    func first<Value: Sendable>(_ pick: @escaping @Sendable (LaunchEvent) -> Value?) async -> Value {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if let value = state.events.lazy.compactMap(pick).first { return continuation.resume(returning: value) }
                state.waiters.append { event in
                    guard let value = pick(event) else { return false }
                    continuation.resume(returning: value)
                    return true
                }
            }
        }
    }

    func ready(_ launch: LaunchNumber) async -> RunnerProcess {
        await first { event in
            if case .ready(launch, let process) = event { process } else { nil }
        }
    }

    func unavailable(_ launch: LaunchNumber) async -> LaunchError {
        await first { event in
            if case .unavailable(launch, let error) = event { error } else { nil }
        }
    }

    @discardableResult
    func end(_ launch: LaunchNumber) async -> RunnerEnd {
        await first { event in
            if case .ended(launch, let end) = event { end } else { nil }
        }
    }

    /// Waits for the first line "`word` NUMBER" in the launch's output, and returns the number.
    func number(after word: String, from launch: LaunchNumber) async -> Int32 {
        await first { event in
            guard case .output(launch, _, let line) = event, line.hasPrefix(word + " ") else { return nil }
            return Int32(line.dropFirst(word.count + 1))
        }
    }

    func lines(_ launch: LaunchNumber, _ stream: RunnerOutput = .standardOutput) -> [String] {
        events.compactMap { event in
            if case .output(launch, stream, let line) = event { line } else { nil }
        }
    }

    func messages(_ launch: LaunchNumber) -> [RunnerMessage] {
        events.compactMap { event in
            if case .message(launch, let message) = event { message } else { nil }
        }
    }

    func malformed(_ launch: LaunchNumber) -> [String] {
        events.compactMap { event in
            if case .malformed(launch, let message) = event { message } else { nil }
        }
    }

    func ends(_ launch: LaunchNumber) -> [RunnerEnd] {
        events.compactMap { event in
            if case .ended(launch, let end) = event { end } else { nil }
        }
    }
}
