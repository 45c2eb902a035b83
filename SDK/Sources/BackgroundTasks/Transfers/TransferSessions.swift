// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// The sessions of this process, and the deliveries of their ended transfers.
final class TransferSessions: Sendable {
    static let shared = TransferSessions()

    private struct State {
        var sessions: [String: BackgroundTransferSession] = [:]
        /// By the name of a session without an object, the actions that follow the delivery of its ended transfers: one
        /// for each event.
        var waiting: [String: [@Sendable (Bool) -> Void]] = [:]
        /// The sessions whose ended transfers were delivered, since their last event.
        var delivered: Set<String> = []
        /// By the name of their session, the actions that follow the delivery of the ended transfers.
        var followers: [String: [@Sendable () -> Void]] = [:]
    }

    private let state = Mutex(State())

    func add(_ session: BackgroundTransferSession) {
        let name = session.configuration.identifier
        let waiting = state.withLock { state in
            state.sessions[name] = session
            return state.waiting.removeValue(forKey: name) ?? []
        }
        if waiting.isEmpty { return }
        // Once for all events: a further delivery would repeat the failed transfers.
        deliver(session) { isDelivered in
            for finish in waiting { finish(isDelivered) }
        }
    }

    func remove(_ session: BackgroundTransferSession) {
        state.withLock { state in
            let name = session.configuration.identifier
            if state.sessions[name] === session { state.sessions[name] = nil }
        }
    }

    /// Forgets the deliveries, because the process enters again, as that of a unit test.
    func enter() {
        state.withLock { state in
            (state.waiting, state.delivered, state.followers) = ([:], [], [:])
        }
    }

    var isEmpty: Bool { state.withLock { $0.sessions.isEmpty } }

    func has(_ name: String) -> Bool { state.withLock { $0.sessions[name] != nil } }

    /// Delivers the ended transfers of a session to its delegate, now or when the object of the session is created.
    ///
    /// - Parameter finish: called on the queue of the delegate after the last ended transfer, with false when they
    ///   could not be read.
    func deliver(_ name: String, then finish: @escaping @Sendable (_ isDelivered: Bool) -> Void) {
        let session = state.withLock { state in
            state.delivered.remove(name)
            let session = state.sessions[name]
            if session == nil { state.waiting[name, default: []].append(finish) }
            return session
        }
        if let session { deliver(session, then: finish) }
    }

    private func deliver(_ session: BackgroundTransferSession, then finish: @escaping @Sendable (Bool) -> Void) {
        session.queue.async {
            let isDelivered = session.deliverEnded()
            if isDelivered { session.delegate?.transferSessionDidFinishEvents(session) }
            finish(isDelivered)
            if isDelivered { self.follow(session.configuration.identifier) }
        }
    }

    /// Calls `action` when the ended transfers of the session have been delivered since its last event.
    func afterDelivery(of name: String, _ action: @escaping @Sendable () -> Void) {
        let isDelivered = state.withLock { state in
            if state.delivered.contains(name) { return true }
            state.followers[name, default: []].append(action)
            return false
        }
        if isDelivered { action() }
    }

    private func follow(_ name: String) {
        let followers = state.withLock { state in
            state.delivered.insert(name)
            return state.followers.removeValue(forKey: name) ?? []
        }
        for action in followers { action() }
    }
}

extension BackgroundTransferSession {
    /// Delivers the ended transfers to the delegate. Called on its queue.
    ///
    /// - Returns: false when the host could not list them.
    fileprivate func deliverEnded() -> Bool {
        do {
            for task in try listedTasks() where task.state.isEnded { deliver(task) }
            return true
        } catch {
            BackgroundPlugin.log("the transfers of session \(configuration.identifier): \(error)", level: .error)
            return false
        }
    }

    private func deliver(_ task: BackgroundTransferTask) {
        if task.direction == .download, task.state == .finished, let location = task.location {
            delegate?.transferSession(self, downloadTask: task, didFinishDownloadingTo: location)
            // The delegate may have moved the file with the file manager.
            if task.location != nil, !FileManager.default.fileExists(atPath: location.path) { task.noteMoved() }
        }
        delegate?.transferSession(self, task: task, didCompleteWithError: task.error)
    }

    /// Delivers the ended transfers of the session with this name, now or when its object is created.
    package static func deliverEnded(of name: String, then finish: @escaping @Sendable (Bool) -> Void) {
        TransferSessions.shared.deliver(name, then: finish)
    }

    /// Waits until the ended transfers of the session with this name have been delivered to its delegate.
    package static func delivery(of name: String) async {
        await withCheckedContinuation { continuation in
            TransferSessions.shared.afterDelivery(of: name) { continuation.resume() }
        }
    }
}

extension BackgroundTransferTask.State {
    /// Whether the transfer has its end.
    var isEnded: Bool { self == .finished || self == .failed || self == .cancelled }
}

extension BackgroundPlugin {
    /// Sets the receiver of events of finished sessions, with the name of the session; nil to deliver them to the
    /// delegate of the session alone.
    package static func receiveFinishedSessions(_ receiver: (@Sendable (BackgroundEvent, String) -> Void)?) {
        setSessionReceiver(receiver)
    }

    /// Delivers the ended transfers of a session to its delegate, and completes the event.
    ///
    /// - Returns: false when the session has no object in this process, and the event is open.
    static func deliver(_ event: BackgroundEvent, ofSession name: String) -> Bool {
        guard TransferSessions.shared.has(name) else { return false }
        TransferSessions.shared.deliver(name) { event.complete($0 ? .success : .failure) }
        return true
    }
}
