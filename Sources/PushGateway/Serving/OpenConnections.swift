// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import Synchronization

/// The open connections of a gateway, whose number is bounded.
final class OpenConnections: Sendable {
    private struct State {
        var table: ConnectionTable
        var channels: [ConnectionTable.Key: any Channel] = [:]
    }

    private let state: Mutex<State>

    init(_ limits: GatewayLimits) {
        let table = ConnectionTable(limits.connections, scarceTimeout: limits.scarceTimeout)
        state = Mutex(State(table: table))
    }

    /// Adds a connection until it closes, and closes the connections that it displaces. Nil when it is refused.
    func add(_ channel: any Channel) -> ConnectionTable.Key? {
        let peer = PeerNetwork(channel.remoteAddress)
        let (key, closing) = state.withLock { state in
            let opening = state.table.open(from: peer, at: .now())
            if let key = opening.key { state.channels[key] = channel }
            return (opening.key, opening.closing.compactMap { state.channels.removeValue(forKey: $0) })
        }
        for displaced in closing { displaced.close(promise: nil) }
        if let key { channel.closeFuture.whenComplete { [self] _ in remove(key) } }
        return key
    }

    /// Notes the first authenticated request of a connection.
    ///
    /// - Parameter sender: the key or the webhook.
    func noteSender(_ key: ConnectionTable.Key, _ sender: String) {
        state.withLock { $0.table.noteSender(key, sender) }
    }

    private func remove(_ key: ConnectionTable.Key) {
        state.withLock { state in
            state.table.close(key)
            state.channels[key] = nil
        }
    }

    /// Lets each connection end its requests, and closes the connections that remain after a time.
    func end(within limit: TimeAmount) async {
        let channels = state.withLock { Array($0.channels.values) }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        await withTaskGroup { group in
            for channel in channels {
                group.addTask {
                    let timeout = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
                    try? await channel.closeFuture.get()
                    timeout.cancel()
                }
            }
        }
    }
}
