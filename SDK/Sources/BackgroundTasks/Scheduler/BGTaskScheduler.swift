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
open class BGTaskScheduler: _SendableObject {
    private static let instance = BGTaskScheduler(submissions: SubmissionMemory())

    let submissions: SubmissionMemory

    /// The scheduler of this process.
    open class var shared: BGTaskScheduler { instance }

    /// Resources of this machine that continued tasks may request, as the host reports them at the launch; none outside
    /// of a host. The host also refuses a resource as not permitted when the manifest lacks the grant for it.
    open class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        Host.current?.supportsGPU == true ? .gpu : .default
    }

    /// Resources of this machine that continued tasks may request; equal to the class property.
    open var supportedResources: BGContinuedProcessingTaskRequest.Resources { Self.supportedResources }

    private init(submissions: SubmissionMemory) {
        self.submissions = submissions
        super.init()
    }

    // MARK: Registering

    /// Registers the handler for the tasks of an identifier, for this process.
    ///
    /// Handlers are registered while the plugin enters. Handlers of continued tasks may be registered later, right before
    /// the request is submitted: in a launch that a user started, and in every launch for an identifier that only a
    /// pattern in the manifest permits. Such a handler serves continued tasks alone. Another late registration, and a
    /// repeated one, are programming errors: the host records the error, and the process ends.
    ///
    /// In the language mode of Swift 5 the handler runs on `queue` even if its closure was written in main-actor code,
    /// such as an app's delegate. In the language mode of Swift 6 such a closure is isolated to the main actor and runs
    /// on the main thread, whatever the queue: on another thread the process would end. Write `@Sendable` before its
    /// parameter to run it on `queue`.
    ///
    /// - Parameters:
    ///   - identifier: an identifier that the manifest permits; a pattern itself is refused.
    ///   - queue: the queue on which the handler runs; nil for a private serial queue of the identifier, which is never
    ///     the main thread.
    ///   - launchHandler: begins the work. It may return before the task is completed.
    /// - Returns: whether the handler was registered: false outside of a host, in an extension, for a pattern, for an
    ///   identifier that is malformed or that the manifest does not permit, and after the end of the launch.
    // Code in the language mode of Swift 6 calls the overload that reads the isolation of the handler.
    @_disfavoredOverload
    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue? = nil,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        record(identifier, LaunchHandler(queue: queue, launchHandler))
    }

    // MARK: Submitting

    /// Makes a request pending, with its current properties: later changes of the object have no effect. The request
    /// replaces the pending request with the same identifier.
    ///
    /// Blocks until the host has recorded the request. Apple's newest SDK deprecates this form in favour of
    /// ``submitTaskRequest(_:)``; here both exist and report the same errors.
    ///
    /// A submission by a main plugin for an identifier without a launch handler is a programming error: the host
    /// records it, and the process ends.
    ///
    /// - Throws: ``BGTaskScheduler/Error``.
    open func submit(_ taskRequest: BGTaskRequest) throws {
        try record(taskRequest)
    }

    /// Makes a request pending, like ``submit(_:)``, without blocking the caller.
    ///
    /// - Throws: ``BGTaskScheduler/Error``.
    open func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Swift.Error>) in
            inBackground(submitting: taskRequest) { continuation.resume(with: $0) }
        }
    }

    /// Makes a request pending, like ``submit(_:)``, without blocking the caller.
    ///
    /// - Parameters:
    ///   - taskRequest: copied at once.
    ///   - completionHandler: called on an arbitrary queue, with nil once the request is pending, else with a
    ///     ``BGTaskScheduler/Error``.
    @preconcurrency
    open func submitTaskRequest(
        _ taskRequest: BGTaskRequest,
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        inBackground(submitting: taskRequest) { result in
            switch result {
            case .success: completionHandler(nil)
            case .failure(let error): completionHandler(error)
            }
        }
    }

    // MARK: Listing

    /// Lists the pending requests of the main plugin, oldest first, without running tasks.
    ///
    /// The requests are copies. Requests of other processes, such as earlier launches or a user's command, are included
    /// with their payload and titles.
    ///
    /// - Parameter completionHandler: called on an arbitrary queue, as soon as the host has returned the requests.
    ///   While the host cannot read them, it is asked again. Not called after the end of the launch, because an empty
    ///   list would be wrong then.
    @preconcurrency
    open func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        Host.waitingQueue.async { self.list(from: Host.current, completionHandler) }
    }

    /// The pending requests of the main plugin, like ``getPendingTaskRequests(completionHandler:)``. Never returns
    /// after the end of the launch.
    open func pendingTaskRequests() async -> [BGTaskRequest] {
        // A checked continuation would report a leak when the launch has ended, because it is never resumed then.
        await withUnsafeContinuation { continuation in
            getPendingTaskRequests { continuation.resume(returning: $0) }
        }
    }

    // MARK: Cancelling

    /// Removes the pending request of an identifier, even one that an extension submitted. An unknown identifier is
    /// ignored. A running task continues. Returns after the removal is recorded; a failure is only logged.
    open func cancel(taskRequestWithIdentifier identifier: String) {
        guard let host = Host.current else { return }
        let status = host.cancel(identifier)
        if status != .ok {
            host.log(.error, "the request \"\(identifier)\" could not be cancelled: \(host.cause(of: status))")
        }
    }

    /// Removes every pending request of the main plugin, including requests of its extensions. Returns after the
    /// removal is recorded; a failure is only logged.
    open func cancelAllTaskRequests() {
        guard let host = Host.current else { return }
        let status = host.cancelAll()
        if status != .ok { host.log(.error, "the pending requests could not be cancelled: \(host.cause(of: status))") }
    }
}

// Unchecked: all mutable state is in the mutex of `submissions`.
extension BGTaskScheduler: @unchecked Sendable {}

/// Dispatch's C name of a queue, which Swift code for Apple's platforms may use.
public typealias dispatch_queue_t = DispatchQueue
