// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Dispatch
// Apple's framework brings Foundation along, and published code relies on it.
@_exported public import Foundation

/// Schedules tasks that the host launches this plugin for, when their time has come and the machine can spare it.
///
/// Register a launch handler for every permitted identifier while the plugin enters, then submit requests:
///
///     BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") { task in
///         self.handleAppRefresh(task: task as! BGAppRefreshTask)
///     }
///
/// Outside of a host, as in a unit test, nothing can be registered and every submission is refused as unavailable.
public final class BGTaskScheduler: NSObject, Sendable {
    private static let instance = BGTaskScheduler(submissions: SubmissionMemory())

    let submissions: SubmissionMemory

    /// The scheduler of this process.
    public class var shared: BGTaskScheduler { instance }

    /// What continued tasks may ask for on this machine. The host decides at submission: what the operator withholds, or
    /// the manifest has no entitlement for, is refused as not permitted.
    public class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        GraphicsDevices.isAnyPresent ? .gpu : .default
    }

    /// The same as the class property.
    public var supportedResources: BGContinuedProcessingTaskRequest.Resources { Self.supportedResources }

    private init(submissions: SubmissionMemory) {
        self.submissions = submissions
        super.init()
    }

    // MARK: Registering

    /// Registers the handler that the tasks of an identifier are handed to, for this process.
    ///
    /// Every handler is registered while the plugin enters; only an identifier that a pattern in the manifest permits may
    /// be registered later, right before its request is submitted. Registering late, or an identifier that has a handler,
    /// is a programming error: the host records it, and the process ends.
    ///
    /// A closure that belongs to the main actor, or to another one, is run there, whatever `queue` says.
    ///
    /// - Parameters:
    ///   - identifier: one that the manifest permits; a pattern itself is refused.
    ///   - queue: where the handler runs; nil for a private serial queue of the identifier, which is never the main thread.
    ///   - launchHandler: begins the work. It may return before the task is completed.
    /// - Returns: whether the host will launch it: false for an identifier that the manifest does not permit.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue? = nil,
        launchHandler: @escaping @isolated(any) (BGTask) -> Void
    ) -> Bool {
        register(identifier, LaunchHandler(queue: queue, launchHandler))
    }

    // MARK: Cancelling

    /// Removes the pending request of an identifier, an extension's too; one that is unknown is ignored. A task that runs
    /// goes on. Returns when that is recorded.
    public func cancel(taskRequestWithIdentifier identifier: String) {
        guard let host = Host.current else { return }
        let status = host.waiting { $0.cancel(identifier) }
        if status != .ok { host.log(.error, "\"\(identifier)\" could not be cancelled: \(host.name(of: status))") }
    }

    /// Removes every pending request of the main plugin, those that its extensions submitted included.
    public func cancelAllTaskRequests() {
        guard let host = Host.current else { return }
        let status = host.waiting { $0.cancelAll() }
        if status != .ok { host.log(.error, "the pending requests could not be cancelled: \(host.name(of: status))") }
    }
}
