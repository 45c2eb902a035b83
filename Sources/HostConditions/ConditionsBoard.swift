// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
import Synchronization
import TaskModel

/// The state that the sensors' thread shares with all other threads: the readings, the conditions that a user
/// overrides, and the watched conditions. The board does not interpret readings.
final class ConditionsBoard: Sendable {
    struct Watch: Equatable {
        var conditions: Set<Condition> = []
        var containers = WatchedContainers.none
    }

    private struct State {
        var readings: Readings
        let configured: ScriptedConditions
        var scripted = ScriptedConditions()
        var watch = Watch()
        var reported: Conditions
        var isClosing = false
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []

        var report: ConditionsReport { ConditionsReport(readings, configured: configured, scripted: scripted) }
    }

    let wakeChannel: Descriptor
    private let state: Mutex<State>
    private let onEvent: @Sendable (ConditionsEvent) -> Void

    init(
        _ readings: Readings,
        configured: ScriptedConditions,
        wakeChannel: Descriptor,
        onEvent: @escaping @Sendable (ConditionsEvent) -> Void
    ) {
        self.wakeChannel = wakeChannel
        self.onEvent = onEvent
        let report = ConditionsReport(readings, configured: configured, scripted: ScriptedConditions())
        state = Mutex(State(readings: readings, configured: configured, reported: report.conditions))
    }

    var report: ConditionsReport { state.withLock(\.report) }
    var watch: Watch { state.withLock(\.watch) }
    var isClosing: Bool { state.withLock(\.isClosing) }

    /// Sets the watched conditions and containers. Conditions that the operator fixed are left out: no sample of them
    /// has an effect.
    func watch(_ wanted: Watch) {
        let isNew = state.withLock { state in
            let old = state.watch
            state.watch = wanted
            state.watch.conditions.subtract(state.configured.values.keys)
            return state.watch != old
        }
        if isNew { bgl_eventfd_signal(wakeChannel.number) }
    }

    func script(_ change: (inout ScriptedConditions) -> Void) -> ConditionsReport {
        state.withLock { state in
            change(&state.scripted)
            return report(&state)
        }
    }

    func report(changing change: (inout ScriptedConditions) -> Void) -> ConditionsReport {
        state.withLock { state in
            var scripted = state.scripted
            change(&scripted)
            return ConditionsReport(state.readings, configured: state.configured, scripted: scripted)
        }
    }

    func post(_ readings: Readings) {
        state.withLock { state in
            guard readings != state.readings else { return }
            state.readings = readings
            _ = report(&state)
        }
    }

    func resumed(after duration: Duration) { state.withLock { _ in onEvent(.resumed(after: duration)) } }

    /// Returns the report, and calls the listener when a condition in force has changed. The caller holds the lock, so
    /// that changes by users and by sensors arrive in the order in which they took effect.
    private func report(_ state: inout State) -> ConditionsReport {
        let report = state.report
        if report.conditions != state.reported {
            state.reported = report.conditions
            onEvent(.changed(report))
        }
        return report
    }

    // MARK: Closing

    func close(_ closer: CheckedContinuation<Void, Never>?) {
        let isClosed = state.withLock { state in
            state.isClosing = true
            if !state.isClosed, let closer { state.closers.append(closer) }
            return state.isClosed
        }
        if isClosed { closer?.resume() }
        bgl_eventfd_signal(wakeChannel.number)
    }

    /// Resumes all callers that wait for the close. Called once, by the sensors' thread at its end.
    func closed() {
        let closers = state.withLock { state in
            state.isClosed = true
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
