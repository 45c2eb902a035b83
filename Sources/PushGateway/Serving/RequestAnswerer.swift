// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import Synchronization

/// Passes complete requests to the gateway, and their answers back to the event loops of their connections.
final class RequestAnswerer: Sendable {
    let limits: GatewayLimits
    /// The HTTP/2 requests in progress on all connections.
    let streams: Places
    private let gateway: Gateway
    private let calls: Places
    private let stopping = Mutex(false)

    init(_ gateway: Gateway, limits: GatewayLimits) {
        self.gateway = gateway
        self.limits = limits
        streams = Places(limits.openStreams)
        calls = Places(limits.calls)
    }

    /// Refuses all further requests.
    func stop() { stopping.withLock { $0 = true } }

    /// Returns when the requests at the host are answered, or after a time.
    func drain() async {
        // The caller is cancelled, and this wait must not end for that.
        await Task { await drained() }.value
    }

    private func drained() async {
        let (done, end) = AsyncStream.makeStream(of: Void.self)
        let answered = Task {
            await calls.whenEmpty()
            end.finish()
        }
        let timeout = Task {
            try? await Task.sleep(for: .nanoseconds(limits.drainTimeout.nanoseconds))
            end.finish()
        }
        for await _ in done {}
        timeout.cancel()
        answered.cancel()
    }

    /// Answers a request; `reply` is called on `eventLoop`.
    func answer(
        _ request: GatewayRequest,
        on connection: SenderConnection,
        eventLoop: any EventLoop,
        reply: @escaping @Sendable (GatewayAnswer) -> Void
    ) {
        guard !stopping.withLock(\.self), calls.take() else { return reply(unavailableAnswer(to: request)) }
        Task {
            let answer = await gateway.answer(request, on: connection)
            eventLoop.execute {
                reply(answer)
                self.calls.release()
            }
        }
    }

    /// The answer to a request that does not reach the gateway.
    func unavailableAnswer(to request: GatewayRequest) -> GatewayAnswer {
        gateway.unavailableAnswer(to: request, isStopping: stopping.withLock(\.self))
    }
}
