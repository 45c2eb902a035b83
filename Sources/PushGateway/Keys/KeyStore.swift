// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LinuxSystem
import Synchronization
package import TaskModel

/// The present keys of a running gateway, read again when the directory changes.
package final class KeyStore: Sendable {
    /// Minimum time between two looks at the directory.
    private static let interval: Duration = .seconds(1)

    private struct State {
        var keys: KeySet
        var identity: FileIdentity?
        var lookedAt: MonotonicTime
    }

    private let directory: KeyDirectory
    private let report: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// Reads the directory. Throws when it cannot be listed.
    ///
    /// - Parameter report: receives the problems of files, and of the directory later on.
    package init(
        _ directory: KeyDirectory,
        at now: MonotonicTime,
        report: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.directory = directory
        self.report = report
        let identity = FileIdentity(ofPath: directory.path)
        let keys = try directory.read()
        state = Mutex(State(keys: keys, identity: identity, lookedAt: now))
        for problem in keys.problems { report(problem) }
    }

    /// The keys. A change of the directory counts after at most a second; while the directory cannot be read, the last
    /// keys count.
    package func keys(at now: MonotonicTime) -> KeySet {
        state.withLock { state in
            guard now - state.lookedAt >= Self.interval else { return state.keys }
            state.lookedAt = now
            let identity = FileIdentity(ofPath: directory.path)
            if identity == state.identity { return state.keys }
            do throws(SystemError) {
                state.keys = try directory.read()
                state.identity = identity
                for problem in state.keys.problems { report(problem) }
            } catch {
                report("\(error); the last keys stay valid")
            }
            return state.keys
        }
    }
}
