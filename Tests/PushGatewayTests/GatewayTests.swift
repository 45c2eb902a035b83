// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Crypto
import Foundation
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("The gateway hands a push to the host only for a sender that may push to the plugin", .proves("C22"))
struct GatewayTests {
    private let host = RecordingHost()
    private let connection = SenderConnection()
    private let http1 = SenderConnection(isHTTP2: false)

    private func gateway(
        _ host: RecordingHost? = nil,
        webhook: PushWebhook? = nil,
        rate: Int = 1000
    ) throws -> Gateway {
        var keys = KeySet()
        keys.add(try Samples.key())
        keys.add(try Samples.key("OTHER", plugins: ["com.example.other"]))
        if let webhook { keys.add(webhook) }
        let set = keys
        return Gateway(
            keys: { _ in set },
            limits: FloodLimits(rate: rate, burst: rate),
            host: host ?? self.host,
            times: .init(monotonic: { Samples.start }, wall: { Samples.now })
        )
    }

    private static func reason(_ answer: GatewayAnswer) -> String {
        let text = String(decoding: answer.body, as: UTF8.self)
        return text.split(separator: "\"").dropFirst(3).first.map(String.init) ?? text
    }

    @Test func `a valid push reaches the host with token and payload, and the answer has its identifier`() async throws
    {
        let answer = try await gateway().answer(try Samples.request(), on: connection)
        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(answer.fields == [.init("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")])
        let push = try #require(host.pushes.first)
        #expect(push.token == Samples.deviceToken && push.payload == Data(#"{"aps":{"content-available":1}}"#.utf8))
        let key = try Samples.key().id
        #expect(push.id == "eabeae54-14a8-11e5-b60b-1697f925ec7b" && push.sender == "key \(key)")
    }

    @Test func `an answer has a new identifier when the push has none`() async throws {
        let request = try Samples.request(without: ["apns-id"])
        let ids = [
            try await gateway().answer(request, on: connection), try await gateway().answer(request, on: connection),
        ]
        .map { $0.fields.first?.value }
        #expect(ids[0] != ids[1] && ids.allSatisfy { $0?.count == 36 })
        #expect(host.pushes.map(\.id) == [nil, nil])
    }

    @Test func `a refusal has the identifier as it was sent, also an invalid one`() async throws {
        let answer = try await gateway().answer(try Samples.request(["apns-id": "Mine"]), on: connection)
        #expect(answer.fields.first == .init("apns-id", "Mine") && Self.reason(answer) == "BadMessageId")
    }

    @Test(arguments: [
        ("/4/device/a", "POST", 404, "BadPath"), ("/", "POST", 404, "BadPath"),
        ("/3/device", "POST", 400, "MissingDeviceToken"), ("/3/device/a", "GET", 405, "MethodNotAllowed"),
    ])
    func `another path or method is refused`(path: String, method: String, status: Int, reason: String) async throws {
        let answer = try await gateway().answer(try Samples.request(method: method, path: path), on: connection)
        #expect(answer.status == status && Self.reason(answer) == reason)
        #expect(host.pushes.isEmpty)
    }

    @Test func `a push without a token, or to a plugin outside of its key, does not reach the host`() async throws {
        let missing = try Samples.request(without: ["authorization"])
        #expect(Self.reason(try await gateway().answer(missing, on: connection)) == "MissingProviderToken")
        let foreign = try Samples.request(["authorization": try Samples.authorization(id: "OTHER")])
        #expect(Self.reason(try await gateway().answer(foreign, on: SenderConnection())) == "TopicDisallowed")
        let below = try Samples.request([
            "authorization": try Samples.authorization(id: "OTHER"), "apns-topic": "com.example.other.app",
        ])
        #expect(Self.reason(try await gateway().answer(below, on: SenderConnection())) == "TopicDisallowed")
        #expect(host.pushes.isEmpty)
    }

    @Test func `a connection with many wrong signatures is refused without a verification`() async throws {
        let gateway = try gateway()
        let stranger = P256.Signing.PrivateKey()
        let wrong = try Samples.request(["authorization": try Samples.authorization(signer: stranger)])
        for _ in 1...32 {
            #expect(Self.reason(await gateway.answer(wrong, on: connection)) == "InvalidProviderToken")
        }
        #expect(Self.reason(await gateway.answer(wrong, on: connection)) == "TooManyRequests")
        #expect(await gateway.answer(try Samples.request(), on: SenderConnection()).status == 200)
    }

    @Test func `unknown keys, expired tokens and text that is no token do not exhaust a connection`() async throws {
        let gateway = try gateway()
        let fields = [
            "bearer x", try Samples.authorization(id: "LATERKEY"), try Samples.authorization(issued: "1799990000"),
        ]
        for field in fields {
            for _ in 1...40 {
                let answer = await gateway.answer(try Samples.request(["authorization": field]), on: connection)
                #expect(answer.status == 403)
            }
        }
        #expect(await gateway.answer(try Samples.request(), on: connection).status == 200)
    }

    @Test func `each attempt of a push reaches the host with the same identifier, in lower case`() async throws {
        let gateway = try gateway()
        let id = "EABEAE54-14A8-11E5-B60B-1697F925EC7B"
        for field in [id, id.lowercased()] {
            let answer = await gateway.answer(try Samples.request(["apns-id": field]), on: connection)
            #expect(answer.status == 200 && answer.fields == [.init("apns-id", field)])
        }
        #expect(host.pushes.map(\.id) == [id.lowercased(), id.lowercased()])
    }

    @Test func `a key that sends too fast is answered 429 with the time to wait`() async throws {
        let gateway = try gateway(rate: 2)
        var answers: [GatewayAnswer] = []
        let request = try Samples.request(without: ["apns-id"])
        for _ in 1...3 { answers.append(await gateway.answer(request, on: connection)) }
        #expect(answers.map(\.status) == [200, 200, 429])
        #expect(Self.reason(answers[2]) == "TooManyRequests")
        #expect(answers[2].fields.contains(.init("retry-after", "1")))
        #expect(host.pushes.count == 2)
    }

    @Test func `a key that sends too fast is refused before the signature of a new token is verified`() async throws {
        let gateway = try gateway(rate: 1)
        #expect(await gateway.answer(try Samples.request(), on: connection).status == 200)
        let wrong = try Samples.request([
            "authorization": try Samples.authorization(signer: P256.Signing.PrivateKey())
        ])
        for _ in 1...40 {
            #expect(Self.reason(await gateway.answer(wrong, on: SenderConnection())) == "TooManyRequests")
            #expect(Self.reason(await gateway.answer(wrong, on: connection)) == "TooManyRequests")
        }
        #expect(!connection.isExhausted)
    }

    @Test func `wrong signatures take no pushes from their key`() async throws {
        let gateway = try gateway(rate: 1)
        let wrong = try Samples.request([
            "authorization": try Samples.authorization(signer: P256.Signing.PrivateKey())
        ])
        for _ in 1...20 {
            #expect(Self.reason(await gateway.answer(wrong, on: SenderConnection())) == "InvalidProviderToken")
        }
        #expect(await gateway.answer(try Samples.request(), on: connection).status == 200)
    }

    @Test func `a key whose pushes all wait for the host is answered 429 until the host answers`() async throws {
        let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
        let host = HeldHost()
        var keys = KeySet()
        keys.add(try Samples.key())
        keys.add(webhook)
        let set = keys
        let gateway = Gateway(
            keys: { _ in set },
            limits: FloodLimits(rate: 1000, burst: 1000),
            host: host,
            times: .init(monotonic: { Samples.start }, wall: { Samples.now }),
            places: 1
        )
        let (request, connection) = (try Samples.request(without: ["apns-id"]), connection)
        let first = Task { await gateway.answer(request, on: connection) }
        await host.waitForPush()
        #expect(Self.reason(await gateway.answer(request, on: connection)) == "TooManyRequests")
        host.release()
        #expect(await first.value.status == 200)
        #expect(await gateway.answer(request, on: connection).status == 200)
        let post = GatewayRequest(method: "POST", path: "/push/\(secret)", fields: [], body: [0])
        #expect(await gateway.answer(post, on: http1).status == 201)
    }

    @Test func `a webhook takes any bytes for its plugin, and names its protocol`() async throws {
        let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
        let gateway = try gateway(webhook: webhook, rate: 1)
        let get = await gateway.answer(GatewayRequest(method: "GET", path: "/push/\(secret)", fields: []), on: http1)
        #expect(get.status == 200 && get.body == Array(#"{"unifiedpush":{"version":1}}"#.utf8))
        let post = GatewayRequest(method: "POST", path: "/push/\(secret)", fields: [], body: [0, 255])
        #expect(await gateway.answer(post, on: http1).status == 201)
        #expect(host.pushes.first?.payload == Data([0, 255]) && host.pushes.first?.token == nil)
        #expect(await gateway.answer(post, on: http1).status == 429)
        let put = GatewayRequest(method: "PUT", path: "/push/\(secret)", fields: [])
        #expect(await gateway.answer(put, on: http1).status == 405)
        let wrong = GatewayRequest(method: "POST", path: "/push/" + String(repeating: "0", count: 64), fields: [])
        #expect(await gateway.answer(wrong, on: http1).status == 404)
    }

    @Test func `a large body of a webhook is refused, and Apple's protocol is not served over HTTP 1`() async throws {
        let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
        let gateway = try gateway(webhook: webhook)
        let large = GatewayRequest(method: "POST", path: "/push/\(secret)", fields: [], isTooLarge: true)
        #expect(await gateway.answer(large, on: http1).status == 413)
        #expect(await gateway.answer(try Samples.request(), on: http1).status == 404)
        #expect(host.pushes.isEmpty)
    }
}
