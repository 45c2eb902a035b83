// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// A task that the host has launched this plugin for: an abstract base, made by the system alone.
///
/// It is completed exactly once, from any thread, with ``setTaskCompleted(success:)``. The launch has one time budget for
/// all its tasks; before it ends, the ``expirationHandler`` is called.
public class BGTask: NSObject, @unchecked Sendable {
    // Sendable, for all that changes is in the mutex; `NSObject` alone keeps the compiler from seeing it. The subclasses add
    // nothing that changes, or another mutex.

    private struct State {
        var expirationHandler: UncheckedFunction<() -> Void>?
        /// What the async form of a handler runs in.
        var work: Task<Void, Never>?
        var isListening = false
        var isCompleted = false
        var reason: ExpirationReason?
        /// An expiration handler is called once at most, whichever it was by then.
        var wasHandlerCalled = false
        var expiresOnMainQueue = false
    }

    let delivered: DeliveredTask
    private let state = Mutex(State())

    init(_ delivered: DeliveredTask) {
        self.delivered = delivered
        super.init()
    }

    /// The identifier under which the task was submitted.
    public var identifier: String { delivered.identifier }

    /// Called shortly before the task's time ends, or earlier when what it needs is lost. Stop the work and complete the
    /// task: what is completed within the grace still counts, and who is still at it afterwards is ended.
    ///
    /// It is called once at most, on a thread of its own that no other handler can block; for a task whose launch handler
    /// ran on the main queue or belongs to an actor on it, there. Set while the task is expiring, it is called soon.
    /// Completion sets it back to nil. Without one, the task is taken as unsuccessful when the grace ends.
    public var expirationHandler: (() -> Void)? {
        get { state.withLock { $0.expirationHandler }?.call }
        set {
            let function = newValue.map { UncheckedFunction($0) }
            change { $0.expirationHandler = function }
        }
    }

    /// Reports that the task is done, and how it went. Without success nothing is tried again; to do so, submit a new
    /// request, before or right after.
    ///
    /// The launch ends with the last completion. The process stays until handlers have returned and the plugin's threads
    /// have made no call for a quarter of a second, one second at most.
    ///
    /// The first call counts; a second one is recorded as the plugin's mistake.
    public func setTaskCompleted(success: Bool) { complete(success ? .success : .failure) }

    /// Like ``setTaskCompleted(success:)``, with all the outcomes that the host knows. This platform's own.
    public func complete(_ outcome: Outcome) {
        willComplete()
        // The host knows it only as long as the task is not completed.
        let reason = knownExpirationReason
        // Given up out here: what a closure captured may do anything when it goes.
        let ended = state.withLock { state in
            let ended = state
            state.expirationHandler = nil
            state.work = nil
            state.isCompleted = true
            state.reason = state.reason ?? reason
            return ended
        }
        delivered.complete(outcome)
        withExtendedLifetime(ended) {}
    }

    /// The last moment at which anything can be said of the task.
    func willComplete() {}

    var isCompleted: Bool { state.withLock { $0.isCompleted } }

    /// The one that was told when it was, else the host's word.
    var knownExpirationReason: ExpirationReason? { state.withLock { $0.reason } ?? delivered.expirationReason }

    // MARK: Expiring

    /// Decided before the launch handler sees the task.
    var expiresOnMainQueue: Bool {
        get { state.withLock { $0.expiresOnMainQueue } }
        set { state.withLock { $0.expiresOnMainQueue = newValue } }
    }

    /// Has the task's expiration cancel that work, whatever the expiration handler does.
    func cancelOnExpiration(_ work: Task<Void, Never>) { change { $0.work = work } }

    private func change(_ change: (inout State) -> Void) {
        let (before, now) = state.withLock { state -> (State, State) in
            let before = state
            if state.isCompleted { return (before, before) }
            change(&state)
            state.isListening = state.expirationHandler != nil || state.work != nil
            // Under the lock: two threads' changes reach the host in the order in which they took effect.
            if state.isListening != before.isListening { delivered.listen(state.isListening ? self : nil) }
            return (before, state)
        }
        // The host told it already: what is set now learns of it here.
        if now.reason != nil && !now.isCompleted {
            now.work?.cancel()
            if now.expirationHandler != nil && !now.wasHandlerCalled { callHandlerSoon() }
        }
        withExtendedLifetime(before) {}
    }

    /// On a thread that no other handler can block.
    func expire(_ reason: ExpirationReason) {
        let now = state.withLock { state in
            state.reason = reason
            return state
        }
        now.work?.cancel()
        if now.expiresOnMainQueue {
            callHandlerSoon()
        } else {
            Host.$isOnExpirationThread.withValue(true) { takeHandler()?() }
        }
    }

    private func callHandlerSoon() {
        if expiresOnMainQueue {
            DispatchQueue.main.async { self.takeHandler()?() }
        } else {
            Thread.detachNewThread { self.takeHandler()?() }
        }
    }

    /// Where it is called, and not before: until then a completion takes it back.
    private func takeHandler() -> (() -> Void)? {
        state.withLock { state -> UncheckedFunction<() -> Void>? in
            guard let handler = state.expirationHandler, !state.wasHandlerCalled else { return nil }
            state.wasHandlerCalled = true
            return handler
        }?.call
    }
}
