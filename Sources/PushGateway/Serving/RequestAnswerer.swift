// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import Synchronization

/// Passes complete requests to the gateway, and their answers back to the event loops of their connections.
final class RequestAnswerer: Sendable {
    private let gateway: Gateway
    private let places = Places(GatewayLimits.calls)
    private let stopping = Mutex(false)

    init(_ gateway: Gateway) { self.gateway = gateway }

    /// Refuses all further requests.
    func stop() { stopping.withLock { $0 = true } }

    /// Answers a request; `reply` is called on `eventLoop`.
    func answer(
        _ request: GatewayRequest,
        on connection: SenderConnection?,
        eventLoop: any EventLoop,
        reply: @escaping @Sendable (GatewayAnswer) -> Void
    ) {
        let isStopping = stopping.withLock(\.self)
        guard !isStopping, places.take() else { return reply(gateway.unavailableAnswer(to: request, isStopping)) }
        Task {
            let answer = await gateway.answer(request, on: connection)
            places.release()
            eventLoop.execute { reply(answer) }
        }
    }
}
