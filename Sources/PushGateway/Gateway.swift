// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import FoundationEssentials
package import TaskModel

/// The host, which accepts pushes.
package protocol PushHost: Sendable {
    func push(_ push: PluginPush, to plugin: PluginIdentifier) async -> PushVerdict
}

/// Answers the requests of senders: checks who sends, limits the rate, and passes each push to the host. It has no state
/// of its own besides verified tokens and rates: the host finds repetitions.
package struct Gateway: Sendable {
    /// The times of a request.
    package struct Times: Sendable {
        let monotonic: @Sendable () -> MonotonicTime
        let wall: @Sendable () -> WallTime

        package init(
            monotonic: @escaping @Sendable () -> MonotonicTime,
            wall: @escaping @Sendable () -> WallTime
        ) {
            (self.monotonic, self.wall) = (monotonic, wall)
        }
    }

    private let keys: @Sendable (MonotonicTime) -> KeySet
    private let limits: FloodLimits
    private let host: any PushHost
    private let times: Times
    private let verifier = ProviderTokenVerifier()
    private let places: SenderPlaces

    /// - Parameters:
    ///   - keys: returns the keys at a time.
    ///   - places: maximum number of pushes in progress of each key and webhook.
    package init(
        keys: @escaping @Sendable (MonotonicTime) -> KeySet,
        limits: FloodLimits,
        host: any PushHost,
        times: Times,
        places: Int = GatewayLimits.senderCalls
    ) {
        self.places = SenderPlaces(places)
        self.keys = keys
        self.limits = limits
        self.host = host
        self.times = times
    }

    /// Answers a request.
    ///
    /// - Parameter connection: the connection of the request. Apple's protocol uses HTTP/2 only.
    package func answer(_ request: GatewayRequest, on connection: SenderConnection) async -> GatewayAnswer {
        if let digest = PushWebhook.digest(inPath: request.path) {
            return await answer(webhook: request, digest: digest, on: connection)
        }
        guard connection.isHTTP2 else { return GatewayAnswer(status: 404) }
        let answer: APNsAnswer
        do throws(APNsReason) {
            answer = try await push(request, on: connection)
        } catch {
            answer = .refused(error)
        }
        return answer.http(id: Self.id(of: request))
    }

    /// The answer to a request while the gateway stops, or while too many requests are in progress.
    package func unavailableAnswer(to request: GatewayRequest, isStopping: Bool) -> GatewayAnswer {
        APNsAnswer.refused(isStopping ? .shutdown : .serviceUnavailable).http(id: Self.id(of: request))
    }

    private func push(_ request: GatewayRequest, on connection: SenderConnection) async throws(APNsReason) -> APNsAnswer
    {
        let isDevice = request.path.hasPrefix(APNsRequest.pathPrefix)
        guard isDevice || request.path == APNsRequest.pathPrefix.dropLast() else { throw .badPath }
        guard request.method == "POST" else { throw .methodNotAllowed }
        let key = try authenticate(request, on: connection)
        let push = try APNsRequest(request)
        guard key.mayPush(to: push.topic) else { throw .topicDisallowed }
        let sender = "key \(key.id)"
        guard places.take(sender) else { throw .tooManyRequests }
        defer { places.release(sender) }
        return await host.push(push.forHost(body: request.body).sent(by: sender), to: push.topic).apns
    }

    /// The key of the sender. A key that sends too fast is refused here, before its push is decoded.
    private func authenticate(
        _ request: GatewayRequest,
        on connection: SenderConnection
    ) throws(APNsReason) -> PushKey {
        guard let field = request.values(of: "authorization").first else { throw .missingProviderToken }
        if connection.isExhausted { throw .tooManyRequests }
        guard let text = ProviderToken.text(inAuthorization: field) else { throw .invalidProviderToken }
        let now = times.monotonic()
        let keys = keys(now)
        let token = try token(text, among: keys, at: now)
        let key: PushKey
        do throws(ProviderTokenFlaw) {
            key = try verifier.key(of: token, at: times.wall()) { keys.keys[$0] }
        } catch {
            if error == .wrongSignature { connection.noteWrongSignature() }
            throw error.reason
        }
        try connection.note(token, of: "key \(key.id)", at: now)
        guard limits.take("key \(key.id)", at: now) else { throw .tooManyRequests }
        return key
    }

    /// Reads a token. A verified one is known by its text, and the signature of another one is not decoded before its
    /// key is known and may send: neither an unknown key nor a flood of one key costs more than the head of a token.
    private func token(
        _ text: String,
        among keys: KeySet,
        at now: MonotonicTime
    ) throws(APNsReason) -> ProviderToken {
        if let verified = verifier.verified(text) { return verified }
        guard let id = ProviderToken.keyID(ofText: text), keys.keys[id] != nil else { throw .invalidProviderToken }
        // The push is taken after the verification, so that a client without the key takes none from it.
        guard limits.hasPush("key \(id)", at: now) else { throw .tooManyRequests }
        guard let token = ProviderToken(text: text) else { throw .invalidProviderToken }
        return token
    }

    private func answer(
        webhook request: GatewayRequest,
        digest: String,
        on connection: SenderConnection
    ) async -> GatewayAnswer {
        let now = times.monotonic()
        guard let webhook = keys(now).webhooks[digest] else { return GatewayAnswer(status: 404) }
        let sender = "webhook \(webhook.name)"
        connection.noteWebhook(sender)
        switch request.method {
        case "GET":
            let type = GatewayRequest.Field("content-type", "application/json")
            return GatewayAnswer(status: 200, fields: [type], body: Array(#"{"unifiedpush":{"version":1}}"#.utf8))
        case "POST":
            let tooMany = GatewayAnswer(status: 429, fields: [.init("retry-after", "1")])
            guard limits.take(sender, at: now) else { return tooMany }
            if request.isTooLarge { return GatewayAnswer(status: 413) }
            guard places.take(sender) else { return tooMany }
            defer { places.release(sender) }
            let verdict = await host.push(PluginPush(payload: request.body), to: webhook.plugin)
            let fields = verdict == .unavailable ? [GatewayRequest.Field("retry-after", "1")] : []
            return GatewayAnswer(status: verdict.webhookStatus, fields: fields)
        default: return GatewayAnswer(status: 405, fields: [.init("allow", "GET, POST")])
        }
    }

    /// The value of `apns-id` in an answer: that of the request as it was sent, because clients match it, or a new one.
    private static func id(of request: GatewayRequest) -> String {
        let sent = request.values(of: "apns-id").first ?? ""
        let isPlain = sent.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        return sent.isEmpty || sent.utf8.count > 64 || !isPlain ? UUID().uuidString.lowercased() : sent
    }
}
