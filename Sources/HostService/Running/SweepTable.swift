// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The plugins whose staging directories are swept now. One sweep of a plugin runs at a time, so that many ends of
/// transfers do not occupy the threads for disk access.
final class SweepTable: Sendable {
    /// By plugin whose sweep runs, whether a further one was requested since its start.
    private let running = Mutex<[PluginIdentifier: Bool]>([:])

    /// Requests a sweep. Returns whether the caller has to start it; otherwise the running one is repeated.
    func begin(_ plugin: PluginIdentifier) -> Bool {
        running.withLock { running in
            guard running[plugin] != nil else {
                running[plugin] = false
                return true
            }
            running[plugin] = true
            return false
        }
    }

    /// Ends a sweep. Returns whether the caller has to sweep again, because of a request during the sweep.
    func end(_ plugin: PluginIdentifier) -> Bool {
        running.withLock { running in
            let isRequested = running[plugin] ?? false
            running[plugin] = isRequested ? false : nil
            return isRequested
        }
    }
}
