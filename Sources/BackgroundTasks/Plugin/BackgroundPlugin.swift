// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import CBackgroundTasks
import Foundation
import Synchronization

/// The host's table of functions, as entry receives it.
public typealias PluginHost = UnsafePointer<bgt_host>

/// What the plugin offers the host, filled in while it enters.
public typealias PluginHooks = UnsafeMutablePointer<bgt_plugin>

/// This plugin: how it enters, and what this platform offers beside Apple's API.
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
/// That is the one symbol which the host looks up. The note that tells the host which interface the library speaks comes
/// with this module, which is why it must be linked into the library itself.
public enum BackgroundPlugin {
    private struct Entry {
        var receiver: (@Sendable (BackgroundEvent) -> Void)?
        var stop: (@Sendable () -> Void)?
        var registered: Set<String> = []
        /// Identifiers of the tasks that the process was launched for.
        var launched: [String] = []
    }

    /// What entry returns when the closure has thrown: statuses below zero are the plugin's own.
    private static let failed: Int32 = -1

    private static let entry = Mutex(Entry())

    /// Enters: does what an app does while it launches. Launch handlers are registered here, and requests may be submitted.
    ///
    /// The launch's budget runs already. Afterwards the main thread runs the main queue, and main-actor code with it.
    ///
    /// - Parameters:
    ///   - host: as `bgtask_plugin_entry` received it.
    ///   - hooks: as `bgtask_plugin_entry` received it.
    ///   - launch: runs on the main thread. What it throws ends the launch: its tasks return to pending, and the host shows
    ///     the plugin as failing.
    /// - Returns: what `bgtask_plugin_entry` returns.
    public static func enter(
        _ host: PluginHost,
        _ hooks: PluginHooks,
        launch: @MainActor () throws -> Void
    ) -> Int32 {
        let host = Host.enter(host)
        do {
            try MainActor.assumeIsolated { try launch() }
        } catch {
            host.log(.error, "the plugin could not enter: \(error)")
            return failed
        }
        // Asked for here, on the thread of entry: a call that the main loop makes looks like work that goes on.
        let launched = host.launch?.identifiers ?? []
        let entry = entry.withLock { entry in
            entry.launched = launched
            return entry
        }
        hooks.pointee.run_main = { _, _ in
            BackgroundPlugin.requireHandlers()
            MainLoop.run()
        }
        if entry.receiver != nil {
            hooks.pointee.receive = { _, table, event in BackgroundPlugin.receive(event, from: Host(table: table)) }
        }
        hooks.pointee.stop = { _, _ in
            // A launch without any task that somebody takes is over before the main loop may have begun.
            BackgroundPlugin.requireHandlers()
            BackgroundPlugin.entry.withLock { $0.stop }?()
        }
        return BGT_OK
    }

    // MARK: While it enters

    /// Sets what takes the plugin's events, while it enters. Each is completed like a task.
    ///
    /// - Parameter receiver: on a private serial queue of all events, never the main thread.
    public static func receiveEvents(_ receiver: @escaping @Sendable (BackgroundEvent) -> Void) {
        entry.withLock { $0.receiver = receiver }
    }

    /// Sets what is called last, while the plugin enters: when the launch is over, on a thread of its own, for no longer
    /// than the grace. The process ends afterwards.
    public static func onStop(_ stop: @escaping @Sendable () -> Void) { entry.withLock { $0.stop = stop } }

    static func remember(registered identifier: String) {
        entry.withLock { _ = $0.registered.insert(identifier) }
    }

    private static func receive(_ event: bgt_task, from host: Host) {
        guard let event = DeliveredTask(event, host)?.task() as? BackgroundEvent else { return }
        entry.withLock { $0.receiver }?(event)
    }

    /// The host has taken such a task as used up, and recorded that nobody takes it, before the main loop runs.
    private static func requireHandlers() {
        let (launched, registered) = entry.withLock { ($0.launched, $0.registered) }
        guard let missing = launched.first(where: { !registered.contains($0) }) else { return }
        ProgrammingError.end(
            "the plugin was launched for the task with identifier \"\(missing)\", and no launch handler is registered"
                + " for it: register it in the closure that BackgroundPlugin.enter is given"
        )
    }
}
