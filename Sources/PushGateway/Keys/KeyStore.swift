// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import LinuxSystem
import Synchronization
package import TaskModel

/// The present keys of a running gateway, read again when the directory changes.
package final class KeyStore: Sendable {
    /// Minimum time between two looks at the directory.
    private static let interval: Duration = .seconds(1)

    /// Minimum age of a change in nanoseconds, from which on a later change has another time.
    private static let settled: Int64 = 1_000_000_000

    private struct State {
        var keys: KeySet
        var identity: FileIdentity?
        var lookedAt: MonotonicTime
        var isLooking = false
    }

    private let directory: KeyDirectory
    private let wall: @Sendable () -> WallTime
    private let report: @Sendable (String) -> Void
    private let limiter = ReportLimiter()
    private let state: Mutex<State>

    /// Reads the directory. Throws when it cannot be listed.
    ///
    /// - Parameters:
    ///   - wall: the clock of the directory's times.
    ///   - report: receives the problems of files, and of the directory later on.
    package init(
        _ directory: KeyDirectory,
        at now: MonotonicTime,
        wall: @escaping @Sendable () -> WallTime = { .now },
        report: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.directory = directory
        self.wall = wall
        self.report = report
        let identity = Self.identity(of: directory, at: wall())
        let keys = try directory.read()
        state = Mutex(State(keys: keys, identity: identity, lookedAt: now))
        for problem in keys.problems { report(problem) }
    }

    /// The keys. A change of the directory counts after at most a second. A missing directory has no keys. While the
    /// directory cannot be read for another cause, the last keys count.
    package func keys(at now: MonotonicTime) -> KeySet {
        let (last, isDue) = state.withLock { state in
            guard !state.isLooking, now - state.lookedAt >= Self.interval else { return (state, false) }
            (state.lookedAt, state.isLooking) = (now, true)
            return (state, true)
        }
        if !isDue { return last.keys }
        // Without the lock: other requests use the last keys meanwhile.
        let (keys, identity) = changed(since: last, at: now)
        state.withLock { ($0.keys, $0.identity, $0.isLooking) = (keys, identity, false) }
        return keys
    }

    private func changed(since last: State, at now: MonotonicTime) -> (KeySet, FileIdentity?) {
        let identity = Self.identity(of: directory, at: wall())
        if let identity, identity == last.identity { return (last.keys, identity) }
        do throws(SystemError) {
            let keys = try directory.read()
            if keys.problems != last.keys.problems { for problem in keys.problems { report(problem) } }
            return (keys, identity)
        } catch {
            if error.number == ENOENT { return (KeySet(), nil) }
            if let message = limiter.message("\(error); the last keys stay valid", at: now) { report(message) }
            return (last.keys, nil)
        }
    }

    /// The identity of the directory; nil when it changed so recently that another change can have the same time.
    private static func identity(of directory: KeyDirectory, at now: WallTime) -> FileIdentity? {
        let identity = FileIdentity(ofPath: directory.path)
        return identity.flatMap { now.nanoseconds - $0.changed >= settled ? $0 : nil }
    }
}
