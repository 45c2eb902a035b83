// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// A task that the host has launched this plugin for: an abstract base, made by the system alone.
///
/// It is completed exactly once, from any thread, with ``setTaskCompleted(success:)``. The launch has one time budget for
/// all its tasks; before it ends, the ``expirationHandler`` is called.
public class BGTask: NSObject, @unchecked Sendable {
    private struct State {
        var expirationHandler: UncheckedFunction<() -> Void>?
        /// What the async form of a handler runs in.
        var work: Task<Void, Never>?
        var isListening = false
        var isCompleted = false
        var reason: ExpirationReason?
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
    /// request before.
    ///
    /// The first call counts; a second one is recorded as the plugin's mistake.
    public func setTaskCompleted(success: Bool) { complete(success ? .success : .failure) }

    /// Like ``setTaskCompleted(success:)``, with all the outcomes that the host knows. This platform's own.
    public func complete(_ outcome: Outcome) {
        willComplete()
        // Given up out here: what a closure captured may do anything when it goes.
        let ended = state.withLock { state in
            let ended = state
            state.expirationHandler = nil
            state.work = nil
            state.isCompleted = true
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
        let (before, listens) = state.withLock { state -> (State, Bool?) in
            if state.isCompleted { return (state, nil) }
            let before = state
            change(&state)
            state.isListening = state.expirationHandler != nil || state.work != nil
            return (before, state.isListening == before.isListening ? nil : state.isListening)
        }
        if let listens { delivered.listen(listens ? self : nil) }
        withExtendedLifetime(before) {}
    }

    /// On a thread that no other handler can block.
    func expire(_ reason: ExpirationReason) {
        let now = state.withLock { state in
            state.reason = reason
            return state
        }
        now.work?.cancel()
        guard let handler = now.expirationHandler else { return }
        if now.expiresOnMainQueue {
            DispatchQueue.main.async { handler.call() }
        } else {
            Host.$isOnExpirationThread.withValue(true) { handler.call() }
        }
    }
}
