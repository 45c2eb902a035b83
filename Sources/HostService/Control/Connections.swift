// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import Synchronization

/// The connections of the control socket with their peers. Safe to use from any thread.
final class Connections: Sendable {
    /// One accepted connection.
    struct Connection: Sendable {
        let channel: any Channel
        /// The process at the other end; nil when the kernel has no record of it.
        let peer: Peer?
        /// Whether the connection exceeds the limits: its first call is refused, then it is closed.
        let isExcess: Bool
    }

    private struct State {
        var table = ConnectionTable<ObjectIdentifier>()
        var open: [ObjectIdentifier: Connection] = [:]
        var excess = 0
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Maximum number of connections that wait for their refusal. Further ones are closed at once.
    private static let mostExcess = 32
    /// Time for which a connection beyond the limits waits for a request to refuse.
    private static let excessTimeout: TimeAmount = .seconds(1)

    /// Records an accepted connection and applies the limits. Returns false when the connection has to be closed at
    /// once.
    func accept(_ channel: any Channel, from peer: Peer?) -> Bool {
        let key = ObjectIdentifier(channel)
        let (displaced, isExcess, isKept) = state.withLock { state -> ((any Channel)?, Bool, Bool) in
            if state.isStopping { return (nil, false, false) }
            let verdict = state.table.open(key, user: peer?.user ?? .max)
            let isExcess = verdict == .refused
            if isExcess, state.excess >= Self.mostExcess { return (nil, true, false) }
            if isExcess { state.excess += 1 }
            state.open[key] = Connection(channel: channel, peer: peer, isExcess: isExcess)
            guard case .acceptedInPlace(let other) = verdict else { return (nil, isExcess, true) }
            return (state.open[other]?.channel, isExcess, true)
        }
        displaced?.close(promise: nil)
        guard isKept else { return false }
        let timeout =
            isExcess ? channel.eventLoop.scheduleTask(in: Self.excessTimeout) { channel.close(promise: nil) } : nil
        channel.closeFuture.whenComplete { _ in
            timeout?.cancel()
            self.forget(key)
        }
        return true
    }

    subscript(channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    /// Marks the connection as having a call in progress, or as idle.
    func setIdle(_ channel: any Channel, _ isIdle: Bool) {
        state.withLock { $0.table.setIdle(ObjectIdentifier(channel), isIdle) }
    }

    /// Closes idle connections; the others end after their call. Later connections are closed at once.
    func stop() {
        let open = state.withLock { state in
            state.isStopping = true
            return state.open.values.map(\.channel)
        }
        for channel in open {
            channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }
    }

    private func forget(_ key: ObjectIdentifier) {
        state.withLock { state in
            if state.open.removeValue(forKey: key)?.isExcess == true { state.excess -= 1 }
            state.table.close(key)
        }
    }
}
