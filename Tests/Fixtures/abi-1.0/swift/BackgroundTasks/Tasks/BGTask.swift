// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// A task for which the host has launched this plugin: an abstract base class that only the system instantiates.
///
/// Complete it exactly once, from any thread, with ``setTaskCompleted(success:)``. The launch has one time budget for
/// all its tasks. When the budget is used up, the ``expirationHandler`` is called, and the grace period begins.
open class BGTask: _SendableObject {
    private struct State {
        var expirationHandler: UncheckedFunction<() -> Void>?
        /// The Swift task that runs an async handler; nil without an async handler.
        var work: Task<Void, Never>?
        var isListening = false
        var isCompleted = false
        var reason: ExpirationReason?
        /// Whether the expiration handler was called. At most one handler is ever called.
        var wasHandlerCalled = false
        /// Whether a loop over the remaining items of the task has begun. A task has one such loop.
        var isResuming = false
        /// Whether the expiration handler was set on the main thread, by main-actor code.
        var expiresOnMainQueue = false
        /// Whether this task's launch handler occupies the main thread, and is not main-actor code.
        var occupiesMainThread = false

        var isHandlerDue: Bool { expirationHandler != nil && !wasHandlerCalled }
    }

    /// Time between two checks of the main thread by an expiration handler that waits for it.
    private static let mainThreadCheckInterval = DispatchTimeInterval.seconds(1)

    let delivered: DeliveredTask
    private let state = Mutex(State())

    init(_ delivered: DeliveredTask) {
        self.delivered = delivered
        super.init()
    }

    /// The identifier under which the task was submitted.
    open var identifier: String { delivered.identifier }

    /// Handler that is called when the task expires: at the end of the launch's budget, or earlier, for example when a
    /// required condition is lost. Stop the work and complete the task: a completion within the grace period still
    /// counts. When the grace period ends and the task is still open, the process is killed.
    ///
    /// The handler is called at most once, on a thread of its own that no other handler can block. A handler that was
    /// set on the main thread is called there instead, because it may be main-actor code. If the task's own launch
    /// handler still occupies the main thread a second after the expiration, the expiration handler is called on its
    /// own thread. The exception is a launch handler that the language mode of Swift 6 isolates to the main actor: it
    /// has to return first.
    ///
    /// A handler that is set while the task is expiring is called soon. Its call and the completion reset the handler
    /// to nil. A task without a handler counts as unsuccessful when the grace period ends.
    open var expirationHandler: (() -> Void)? {
        get { state.withLock { $0.expirationHandler }?.call }
        set {
            let (function, isMainThread) = (newValue.map { UncheckedFunction($0) }, Thread.isMainThread)
            change {
                $0.expirationHandler = function
                $0.expiresOnMainQueue = isMainThread
            }
        }
    }

    /// Reports the completion of the task, and its success. A failed task is not retried; to retry, submit a new
    /// request, before or right after this call.
    ///
    /// The launch ends with the last completion, unless a background assertion is open. The process stays until
    /// handlers have returned, at most for the grace period. It then stays for a quarter of a second after the last
    /// handler has returned and the plugin's threads have made their last call, at most for one second in all.
    ///
    /// The first completion counts. The journal records a second one as a violation, unless the task had expired: the
    /// expiration handler and the interrupted work may both complete the task.
    open func setTaskCompleted(success: Bool) { complete(success ? .success : .failure) }

    /// Reports the completion of the task like ``setTaskCompleted(success:)``, with any outcome that the host supports.
    /// An addition of this platform to Apple's API.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the task.
    ///   - message: one line that explains the outcome to users and in the journal; cut at 1,024 bytes.
    public func complete(_ outcome: Outcome, message: String? = nil) {
        willComplete()
        // The host provides the reason only until the task is completed.
        let reason = knownExpirationReason
        // Released outside of the lock: the deinitializers of captured objects may run any code.
        let ended = state.withLock { state in
            let ended = state
            state.expirationHandler = nil
            state.work = nil
            state.isCompleted = true
            state.reason = state.reason ?? reason
            return ended
        }
        delivered.complete(outcome, message)
        withExtendedLifetime(ended) {}
    }

    /// Called before the completion, while the host still accepts progress reports of the task. Subclasses override it.
    func willComplete() {}

    var isCompleted: Bool { state.withLock { $0.isCompleted } }

    /// The reason of the expiration. The reason passed to `expire` takes precedence over the reason that the host
    /// returns; nil when neither is known.
    var knownExpirationReason: ExpirationReason? { state.withLock { $0.reason } ?? delivered.expirationReason }

    /// Begins the loop over the remaining items of the task; false when a loop of this run has begun before.
    func beginResuming() -> Bool {
        state.withLock { state in
            defer { state.isResuming = true }
            return !state.isResuming
        }
    }

    // MARK: Expiring

    /// Sets the Swift task that expiration cancels, independently of the expiration handler.
    func cancelOnExpiration(_ work: Task<Void, Never>) { change { $0.work = work } }

    private func change(_ change: (inout State) -> Void) {
        let (before, now) = state.withLock { state -> (State, State) in
            let before = state
            if state.isCompleted { return (before, before) }
            change(&state)
            state.isListening = state.expirationHandler != nil || state.work != nil
            // Set under the lock: changes of two threads reach the host in the order in which they took effect.
            if state.isListening != before.isListening { delivered.listen(state.isListening ? self : nil) }
            return (before, state)
        }
        // The task has already expired, so the new handler or work is notified here.
        if now.reason != nil && !now.isCompleted {
            now.work?.cancel()
            if now.expirationHandler != nil && !now.wasHandlerCalled {
                callHandlerSoon(onMainQueue: now.expiresOnMainQueue)
            }
        }
        withExtendedLifetime(before) {}
    }

    /// Handles the expiration. Called on a thread that no other handler can block.
    func expire(_ reason: ExpirationReason) {
        let now = state.withLock { state in
            state.reason = reason
            return state
        }
        now.work?.cancel()
        callHandler(onMainQueue: now.expiresOnMainQueue)
    }

    private func callHandlerSoon(onMainQueue: Bool) {
        Thread.detachNewThread { self.callHandler(onMainQueue: onMainQueue) }
    }

    /// Calls the expiration handler, and returns after its return: the end of the launch waits for this thread.
    ///
    /// A launch handler may block the main thread until its expiration handler is called. Only then is the expiration
    /// handler called on the current thread: it may be main-actor code, which must not run beside other main-actor
    /// code.
    private func callHandler(onMainQueue: Bool) {
        guard onMainQueue else {
            takeHandler()?()
            return
        }
        let returned = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
            self.takeHandler()?()
            returned.signal()
        }
        while returned.wait(timeout: .now() + Self.mainThreadCheckInterval) == .timedOut {
            let now = state.withLock { $0 }
            if now.wasHandlerCalled { continue }
            // Completed or removed meanwhile: the block on the main queue has no effect.
            if !now.isHandlerDue { return }
            if now.occupiesMainThread, let handler = takeHandler() { return handler() }
        }
    }

    // MARK: The launch handler

    /// Runs the launch handler on the current thread. While a launch handler that is not main-actor code occupies the
    /// main thread, an expiration handler for the main queue waits at most until the next check of that thread.
    func run(_ launchHandler: (BGTask) -> Void) {
        let isMainThread = Thread.isMainThread
        if isMainThread { state.withLock { $0.occupiesMainThread = true } }
        launchHandler(self)
        if isMainThread { keepExpirationOnMainThread() }
    }

    /// Makes the expiration handler wait for the main thread, even while the launch handler occupies it. Called at the
    /// beginning of a launch handler that is main-actor code, and after the return of a launch handler.
    func keepExpirationOnMainThread() { state.withLock { $0.occupiesMainThread = false } }

    /// Takes the expiration handler for its one call, on the thread that makes the call and just before it. Nil when
    /// the task has no handler, or a completion or another call came first.
    private func takeHandler() -> (() -> Void)? {
        state.withLock { state -> UncheckedFunction<() -> Void>? in
            guard state.isHandlerDue, let handler = state.expirationHandler else { return nil }
            state.wasHandlerCalled = true
            state.expirationHandler = nil
            return handler
        }?.call
    }
}

// Unchecked: all mutable state is in the mutex; only `NSObject` prevents the compiler from checking it. Subclasses have
// no mutable state, or a mutex of their own.
extension BGTask: @unchecked Sendable {}
