// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import CBackgroundTasks
import Foundation
import Synchronization

/// The host's table of functions, which the function `bgtask_plugin_entry` receives.
public typealias PluginHost = UnsafePointer<bgt_host>

/// The plugin's optional functions, which ``BackgroundPlugin/enter(_:_:launch:)`` fills in.
public typealias PluginHooks = UnsafeMutablePointer<bgt_plugin>

/// The plugin of this process: its entry, and the additions of this platform to Apple's API.
///
/// A plugin is a dynamic library with one entry, written once:
///
///     import BackgroundTasks
///
///     @c(bgtask_plugin_entry)
///     public func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
///         BackgroundPlugin.enter(host, hooks) { ColorFeed.shared.launch() }
///     }
///
/// The host looks up only this symbol. The ELF note with the interface version of the library is part of this module,
/// which therefore must be linked into the library itself.
public enum BackgroundPlugin {
    private struct Entry {
        var receiver: (@Sendable (BackgroundEvent) -> Void)?
        /// The receiver of pushes; nil when `receiver` gets them.
        var pushReceiver: (@Sendable (BackgroundEvent) -> Void)?
        /// The receiver of events of finished sessions of transfers; nil when their own delegates get them.
        var sessionReceiver: (@Sendable (BackgroundEvent, String) -> Void)?
        var stop: (@Sendable () -> Void)?
        var registered: Set<String> = []
        /// Identifiers of the tasks of this launch, without events.
        var launched: [String] = []

        /// Whether the plugin has a receiver of events.
        var receives: Bool { receiver != nil || pushReceiver != nil || sessionReceiver != nil }
    }

    /// The status that the entry function returns when its closure has thrown. Negative statuses are free for plugins
    /// to define.
    private static let failed: Int32 = -1

    /// The quiet period at the end of a launch, in nanoseconds: code after an `await` runs on threads of Swift's
    /// concurrency, and may submit the next request after the last task was completed.
    private static let quietPeriod: UInt64 = 250_000_000

    private static let entry = Mutex(Entry())

    /// Runs the entry of the plugin, which corresponds to the launch of an app. The closure `launch` registers launch
    /// handlers and may submit requests.
    ///
    /// The time of the entry counts against the launch's budget. Afterwards the main thread runs the main queue, and
    /// with it main-actor code.
    ///
    /// - Parameters:
    ///   - host: the argument of `bgtask_plugin_entry`.
    ///   - hooks: the argument of `bgtask_plugin_entry`.
    ///   - launch: runs on the main thread. An error ends the launch: each task is charged an attempt, and is requeued
    ///     unless its attempts are used up. The journal records the failure.
    /// - Returns: the status to return from `bgtask_plugin_entry`.
    public static func enter(
        _ host: PluginHost,
        _ hooks: PluginHooks,
        launch: @MainActor () throws -> Void
    ) -> Int32 {
        let host = begin(host)
        return finish(host, hooks, Result { try MainActor.assumeIsolated { try launch() } })
    }

    /// Runs the entry of the plugin like ``enter(_:_:launch:)``, with an async closure. The main queue and main-actor
    /// code run meanwhile. Launch handlers must be registered when the closure returns.
    ///
    /// - Parameters:
    ///   - host: the argument of `bgtask_plugin_entry`.
    ///   - hooks: the argument of `bgtask_plugin_entry`.
    ///   - launch: begins on the main thread. An error ends the launch.
    /// - Returns: the status to return from `bgtask_plugin_entry`.
    public static func enter(
        _ host: PluginHost,
        _ hooks: PluginHooks,
        asyncLaunch launch: @escaping @MainActor () async throws -> Void
    ) -> Int32 {
        let host = begin(host)
        return finish(host, hooks, MainActor.assumeIsolated { MainLoop.wait(for: launch) })
    }

    private static func begin(_ host: PluginHost) -> Host {
        // A process enters once; the process of a unit test enters once for each test.
        entry.withLock { $0 = Entry() }
        TransferSessions.shared.enter()
        return Host.enter(host)
    }

    /// Runs the entry on any thread, as a unit test does.
    ///
    /// - Parameter launch: returns after the plugin's closure has returned.
    package static func enter(
        _ host: PluginHost,
        _ hooks: PluginHooks,
        waitingFor launch: () -> Result<Void, any Error>
    ) -> Int32 {
        let host = begin(host)
        return finish(host, hooks, launch())
    }

    /// Forgets a host whose process continues without it, as in a unit test.
    package static func leave(_ host: PluginHost) { Host.leave(host) }

    private static func finish(_ host: Host, _ hooks: PluginHooks, _ result: Result<Void, any Error>) -> Int32 {
        if case .failure(let error) = result {
            host.log(.error, "the plugin's entry failed: \(error)")
            return failed
        }
        // Read here, on the thread of entry: a call from the main loop would count as a call of the plugin's own
        // threads.
        let launched = host.launch?.identifiers ?? []
        let entry = entry.withLock { entry in
            entry.launched = launched
            return entry
        }
        hooks.pointee.quiet_ns = quietPeriod
        hooks.pointee.run_main = { _, _ in
            BackgroundPlugin.requireHandlers()
            MainLoop.run()
        }
        if entry.receives || !TransferSessions.shared.isEmpty {
            hooks.pointee.receive = { _, table, event in BackgroundPlugin.receive(event, from: Host(table: table)) }
        }
        hooks.pointee.stop = { _, _ in
            // A launch without any deliverable task may end before the main loop begins.
            BackgroundPlugin.requireHandlers()
            BackgroundPlugin.entry.withLock { $0.stop }?()
        }
        return BGT_OK
    }

    // MARK: During entry

    /// Sets the receiver of the plugin's events. Call it while the plugin enters. The receiver completes each event
    /// like a task.
    ///
    /// - Parameter receiver: called on one private serial queue for all events, never on the main thread.
    public static func receiveEvents(_ receiver: @escaping @Sendable (BackgroundEvent) -> Void) {
        entry.withLock { $0.receiver = receiver }
    }

    /// Sets the function that is called at the end of the launch, as the last call of the plugin. Call `onStop` while
    /// the plugin enters. The function `stop` runs on a thread of its own, for at most the grace period; then the
    /// process ends.
    public static func onStop(_ stop: @escaping @Sendable () -> Void) { entry.withLock { $0.stop = stop } }

    static func setPushReceiver(_ receiver: (@Sendable (BackgroundEvent) -> Void)?) {
        entry.withLock { $0.pushReceiver = receiver }
    }

    static func setSessionReceiver(_ receiver: (@Sendable (BackgroundEvent, String) -> Void)?) {
        entry.withLock { $0.sessionReceiver = receiver }
    }

    static func remember(registered identifier: String) {
        entry.withLock { _ = $0.registered.insert(identifier) }
    }

    private static func receive(_ event: bgt_task, from host: Host) {
        guard let event = DeliveredTask(event, host)?.task() as? BackgroundEvent else { return }
        if event.kind == .transfersFinished { return receiveFinishedSession(event) }
        let receiver = entry.withLock { event.kind == .push ? $0.pushReceiver ?? $0.receiver : $0.receiver }
        // As without any receiver: the event `started` succeeds, and every other one is consumed.
        guard let receiver else { return event.complete(event.kind == .started ? .success : .noData) }
        receiver(event)
    }

    /// Passes an event of a finished session to the application, else to the delegate of the session, else to the
    /// receiver of events. Without any of them it fails, so that the files of the session are kept.
    private static func receiveFinishedSession(_ event: BackgroundEvent) {
        let name = String(decoding: event.payload ?? Data(), as: UTF8.self)
        let (application, receiver) = entry.withLock { ($0.sessionReceiver, $0.receiver) }
        if let application { return application(event, name) }
        if deliver(event, ofSession: name) { return }
        guard let receiver else {
            return event.complete(.failure, message: "the plugin has no session \(name) and no receiver of events")
        }
        receiver(event)
    }

    /// Ends the process if a task of the launch has no handler. The host ends such a task as not registered when entry
    /// returns, before this check.
    private static func requireHandlers() {
        let (launched, registered) = entry.withLock { ($0.launched, $0.registered) }
        guard let missing = launched.first(where: { !registered.contains($0) }) else { return }
        ProgrammingError.end(
            "no launch handler is registered for the task with identifier \"\(missing)\", for which the plugin was"
                + " launched; register a launch handler in the closure that is passed to BackgroundPlugin.enter"
        )
    }
}
