// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import Synchronization

/// The open connections of a gateway, whose number is bounded.
final class OpenConnections: Sendable {
    private let most: Int
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(_ most: Int) { self.most = most }

    /// Adds a connection until it closes; false when there are too many.
    func add(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let isAdded = channels.withLock { channels in
            if channels.count >= most { return false }
            channels[key] = channel
            return true
        }
        if isAdded {
            channel.closeFuture.whenComplete { [self] _ in channels.withLock { _ = $0.removeValue(forKey: key) } }
        }
        return isAdded
    }

    /// Lets each connection end its requests, and closes the connections that remain after a time.
    func end(within limit: TimeAmount) async {
        let channels = channels.withLock { Array($0.values) }
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
