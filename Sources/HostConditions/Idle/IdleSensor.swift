// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel

/// Detects idleness and high load. It samples the use of the machine by processes other than the host's launches, and
/// queries the session manager for active users. It samples only while one of the conditions is watched, and queries
/// only while idleness is watched.
final class IdleSensor: Sensor {
    private let roots: SystemRoots
    private let thresholds: ConditionThresholds
    private let usage: LaunchUsage
    private let sessions: SessionManager
    private let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))

    private var watched: Set<Condition> = []
    private var sample: LoadSample?
    private var load: LoadReading?
    private var problem: SystemError?
    private var quiet: SteadyClaim
    private var high: SteadyClaim
    private var nextLoadSample: MonotonicTime?

    init(_ roots: SystemRoots, _ thresholds: ConditionThresholds, _ usage: LaunchUsage) {
        self.roots = roots
        self.thresholds = thresholds
        self.usage = usage
        sessions = SessionManager(address: roots.systemBus)
        quiet = SteadyClaim(beginsAfter: thresholds.idleAfter, endsAfter: thresholds.busyAfter)
        high = SteadyClaim(beginsAfter: thresholds.highLoadAfter, endsAfter: thresholds.highLoadAfter)
    }

    var awaited: Awaited? { sessions.awaited }
    /// Time of the next sample, or of the next `dispatch` of the connection to the session manager if that comes first;
    /// nil without either. Without a connection the next sample also attempts to connect.
    var nextSample: MonotonicTime? {
        guard sessions.awaited != nil, let turn = sessions.nextTurn else { return nextLoadSample }
        return min(turn, nextLoadSample ?? turn)
    }

    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {
        let wanted = conditions.intersection([.idle, .highLoad])
        guard wanted != watched else { return }
        let wasSampling = !watched.isEmpty
        watched = wanted
        if wanted.contains(.idle) { sessions.open(at: now) } else { sessions.close() }
        if wanted.isEmpty { return forget() }
        if !wasSampling || wanted.contains(.idle) { sample(at: now) }
    }

    func listen(at now: MonotonicTime) { sessions.dispatch(at: now) }

    func sample(at now: MonotonicTime) {
        guard !watched.isEmpty else { return }
        let isTurnOfBus = sessions.nextTurn.map { $0 <= now } ?? false
        sessions.dispatch(at: now)
        if isTurnOfBus, let nextLoadSample, nextLoadSample > now { return }
        nextLoadSample = now + thresholds.sampleInterval
        do throws(SystemError) {
            take(
                try LoadSample(roots, launches: usage.read(), ticksPerSecond: ticksPerSecond, at: now)
            )
            problem = nil
        } catch {
            forget()
            problem = error
            nextLoadSample = now + thresholds.sampleInterval
        }
    }

    /// Evaluates a sample against the previous one. A sample is dropped when it comes less than half an interval after
    /// the previous one, because the kernel's counts are too coarse for so short a time.
    private func take(_ next: LoadSample) {
        guard let previous = sample else { return begin(with: next) }
        guard next.at - previous.at >= thresholds.sampleInterval * 0.5, let load = LoadReading(from: previous, to: next)
        else { return }
        sample = next
        self.load = load
        quiet.note(load.indicatesIdleness(thresholds), since: load.since, until: load.until)
        high.note(load.indicatesHighLoad(thresholds), since: load.since, until: load.until)
    }

    /// Starts with a first sample. A single sample gives no share of use, so the kernel's load average decides whether
    /// the load is high.
    private func begin(with first: LoadSample) {
        sample = first
        let isHigh = first.averageShare.map { $0 > thresholds.highLoadShare } ?? false
        high = SteadyClaim(beginsAfter: high.beginsAfter, endsAfter: high.endsAfter, holds: isHigh)
    }

    private func forget() {
        sample = nil
        load = nil
        problem = nil
        nextLoadSample = nil
        quiet = SteadyClaim(beginsAfter: quiet.beginsAfter, endsAfter: quiet.endsAfter)
        high = SteadyClaim(beginsAfter: high.beginsAfter, endsAfter: high.endsAfter)
    }

    func write(to readings: inout Readings) {
        readings.conditions[.idle] = watched.contains(.idle) ? idle : .unwatched
        readings.conditions[.highLoad] = watched.contains(.highLoad) ? highLoad : .unwatched
    }

    private var words: String {
        if let load { return load.words }
        let average = sample?.minuteAverage.map { "; the load average of one minute is \($0)" } ?? ""
        return "one sample so far, and a measurement needs two" + average
    }

    private var files: String { "\(roots.proc)/stat, \(roots.proc)/pressure" }

    private var highLoad: ConditionReading {
        if let problem { return .missing(problem.description) }
        return .measured(high.holds, from: files, detail: words)
    }

    private var idle: ConditionReading {
        if let problem { return .missing(problem.description) }
        var words = words
        var from = files
        switch sessions.presence {
        case .present:
            words = "a session is active; " + words
            from += ", logind"
        case .absent:
            words += "; no session is active"
            from += ", logind"
        case .unknown:
            words += "; logind has not answered yet"
        case .missing(let why):
            words += "; session activity is unknown: \(why)"
        }
        // Until logind answers, a session may be active.
        let mayBeUsed = sessions.presence == .present || sessions.presence == .unknown
        return .measured(quiet.holds && !mayBeUsed, from: from, detail: words)
    }
}
