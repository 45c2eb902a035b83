// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import PluginLaunch
import RunnerWire
import Synchronization
import TaskModel

/// Distributes the events of a launcher to the trials, each with its time and a sample of the process.
final class TrialRouter: Sendable {
    enum Signal: Sendable {
        case event(LaunchEvent, at: MonotonicTime, ProcessSample)
        case alarm
    }

    private struct Trial: Sendable {
        let signals: AsyncStream<Signal>.Continuation
        var pid: Int32?
    }

    private struct State {
        var trials: [LaunchNumber: Trial] = [:]
        var launches: Int64 = 0
    }

    private let state = Mutex(State())

    func open() -> (LaunchNumber, AsyncStream<Signal>) {
        let (stream, signals) = AsyncStream.makeStream(of: Signal.self)
        let launch = state.withLock { state in
            state.launches += 1
            let launch = LaunchNumber(rawValue: state.launches)
            state.trials[launch] = Trial(signals: signals)
            return launch
        }
        return (launch, stream)
    }

    func close(_ launch: LaunchNumber) { state.withLock { _ = $0.trials.removeValue(forKey: launch) } }

    func alarm(_ launch: LaunchNumber) { _ = state.withLock { $0.trials[launch] }?.signals.yield(.alarm) }

    /// Passes an event to its trial. Called on the launch thread: the first process of the launch is not reaped before
    /// its last event.
    func route(_ event: LaunchEvent) {
        let trial = state.withLock { state in
            if case .ready(let launch, let process) = event { state.trials[launch]?.pid = process.pid }
            return state.trials[event.launch]
        }
        guard let trial else { return }
        let sample = trial.pid.flatMap { ProcessSample(of: $0, at: event) } ?? ProcessSample()
        trial.signals.yield(.event(event, at: .now, sample))
    }
}

/// Measurements of a running process; nil for those that the system does not give.
struct ProcessSample: Sendable {
    var processorTime: Duration?
    var openDescriptors: Int?

    init() {}

    /// Measures a process at a completion, at its last message, or after it was killed at its kill time; nil at other
    /// events. Descriptors are counted only at a completion.
    init?(of pid: Int32, at event: LaunchEvent) {
        switch event {
        case .message(_, .completed): openDescriptors = (try? FilePlace.entries(of: "/proc/\(pid)/fd"))?.count
        case .message(_, .stopped), .killTimePassed: break
        default: return nil
        }
        var clock = clockid_t()
        var time = timespec()
        if clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 {
            processorTime = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }
}

extension TrialCourse {
    /// Keeps the measurements of a process; later ones replace earlier ones.
    mutating func note(_ sample: ProcessSample) {
        if let time = sample.processorTime { log.processorTime = time }
        if let count = sample.openDescriptors { log.openDescriptors = count }
    }
}
