// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Dispatch
// Apple's framework re-exports Foundation, and published code relies on it.
@_exported public import Foundation

/// Schedules tasks for which the host launches this plugin, when they are due and the machine has capacity.
///
/// Register a launch handler for every permitted identifier while the plugin enters, then submit requests:
///
///     BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") { task in
///         self.handleAppRefresh(task: task as! BGAppRefreshTask)
///     }
///
/// Outside of a host, as in a unit test, registration fails and every submission is refused as unavailable.
public final class BGTaskScheduler: NSObject, Sendable {
    private static let instance = BGTaskScheduler(submissions: SubmissionMemory())

    let submissions: SubmissionMemory

    /// The scheduler of this process.
    public class var shared: BGTaskScheduler { instance }

    /// Resources of this machine that continued tasks may request, as the host reports them at the launch; none outside
    /// of a host. The host also refuses a resource as not permitted when the manifest lacks the grant for it.
    public class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        Host.current?.supportsGPU == true ? .gpu : .default
    }

    /// Resources of this machine that continued tasks may request; equal to the class property.
    public var supportedResources: BGContinuedProcessingTaskRequest.Resources { Self.supportedResources }

    private init(submissions: SubmissionMemory) {
        self.submissions = submissions
        super.init()
    }

    // MARK: Registering

    /// Registers the handler for the tasks of an identifier, for this process.
    ///
    /// Handlers are registered while the plugin enters. Only an identifier that a pattern in the manifest permits may
    /// be registered later, right before its request is submitted. A late or repeated registration is a programming
    /// error: the host records it, and the process ends.
    ///
    /// A closure that is isolated to the main actor, or to another one, runs on that actor, and `queue` has no effect.
    ///
    /// - Parameters:
    ///   - identifier: an identifier that the manifest permits; a pattern itself is refused.
    ///   - queue: the queue on which the handler runs; nil for a private serial queue of the identifier, which is never
    ///     the main thread.
    ///   - launchHandler: begins the work. It may return before the task is completed.
    /// - Returns: whether the handler was registered: false outside of a host, in an extension, for a pattern, for an
    ///   identifier that is malformed or that the manifest does not permit, and after the end of the launch.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue? = nil,
        launchHandler: @escaping @isolated(any) (BGTask) -> Void
    ) -> Bool {
        register(identifier, LaunchHandler(queue: queue, launchHandler))
    }

    // MARK: Cancelling

    /// Removes the pending request of an identifier, even one that an extension submitted. An unknown identifier is
    /// ignored. A running task continues. Returns after the removal is recorded; a failure is only logged.
    public func cancel(taskRequestWithIdentifier identifier: String) {
        guard let host = Host.current else { return }
        let status = host.cancel(identifier)
        if status != .ok {
            host.log(.error, "the request \"\(identifier)\" could not be cancelled: \(host.cause(of: status))")
        }
    }

    /// Removes every pending request of the main plugin, including requests of its extensions. Returns after the
    /// removal is recorded; a failure is only logged.
    public func cancelAllTaskRequests() {
        guard let host = Host.current else { return }
        let status = host.cancelAll()
        if status != .ok { host.log(.error, "the pending requests could not be cancelled: \(host.cause(of: status))") }
    }
}
