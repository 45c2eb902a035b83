// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import CBackgroundTasks
import CBackgroundTasksTesting
import Dispatch
import Synchronization

// An async closure of the entry.
extension TestHost {
    /// The closure that is passed to an entry, and its result. The C function of an entry has no context.
    private final class AsyncLaunch: Sendable {
        private let launch: @MainActor () async throws -> Void
        private let result = Mutex<Result<Void, any Error>>(.success(()))
        private let hasReturned = DispatchSemaphore(value: 0)

        init(_ launch: @escaping @MainActor () async throws -> Void) { self.launch = launch }

        /// Runs the closure on the main actor. Blocks the thread of the entry, which is not the main thread.
        func run() -> Result<Void, any Error> {
            Task { @MainActor in
                do {
                    try await launch()
                } catch {
                    result.withLock { $0 = .failure(error) }
                }
                hasReturned.signal()
            }
            hasReturned.wait()
            return result.withLock { $0 }
        }
    }

    /// The launch whose entry this thread calls; nil elsewhere. Hosts that enter at the same time have a thread each.
    @TaskLocal private static var asyncLaunch: AsyncLaunch?

    /// Enters a plugin whose launch is async: calls the closure that the plugin passes to
    /// `BackgroundPlugin/enter(_:_:asyncLaunch:)`, or the function `launch` of its main type. Main-actor code runs
    /// meanwhile, as in a launch.
    ///
    /// - Throws: ``EntryFailure`` when the closure throws.
    public func enterAsync(_ launch: @escaping @MainActor () async throws -> Void) async throws {
        let launch = AsyncLaunch(launch)
        let status = await waiting { host in
            Self.$asyncLaunch.withValue(launch) {
                bgtt_enter(host) { table, hooks in
                    BackgroundPlugin.enter(
                        table,
                        hooks,
                        waitingFor: { TestHost.asyncLaunch?.run() ?? .success(()) }
                    )
                }
            }
        }
        if status != BGT_OK { throw EntryFailure(status: status, log: log) }
    }

    /// Waits until every handler has returned.
    ///
    /// - Returns: false when a handler has not returned after ten seconds.
    public func settle() async -> Bool { await waiting { bgtt_settle($0) } }
}
