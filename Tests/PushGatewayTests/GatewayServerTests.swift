// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import NIOCore
import NIOHPACK
import NIOPosix
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("The gateway frames its answers as clients of Apple's service need them", .proves("C22"))
struct GatewayServerTests {
    private static let id = GatewayClient.id

    @Test func `a success without authority ends with its fields, and an error has one body frame`() async throws {
        try await ServedGateway.with { port, _ in
            let requests = [try GatewayClient.push(), try GatewayClient.push(Self.id, ["apns-priority": "10"])]
            let answers = try await GatewayClient.send(requests, body: "{}", to: port)
            #expect(answers[0] == ReceivedAnswer(status: "200", id: Self.id, frames: 1, endedWithFields: true))
            let error = ReceivedAnswer(status: "400", id: Self.id, frames: 2, body: #"{"reason":"BadPriority"}"#)
            #expect(answers[1] == error)
        }
    }

    @Test func `many pushes on one connection are all answered`() async throws {
        let host = RecordingHost()
        try await ServedGateway.with(host) { port, _ in
            let pushes = try (1...100).map { _ in try GatewayClient.push(UUID().uuidString) }
            let answers = try await GatewayClient.send(pushes, body: "{}", to: port)
            #expect(answers.allSatisfy { $0.status == "200" } && answers.count == 100)
        }
        #expect(host.pushes.count == 100)
    }

    @Test(arguments: [
        (4096, "200", ""), (4097, "413", #"{"reason":"PayloadTooLarge"}"#),
        (3_000_000, "413", #"{"reason":"PayloadTooLarge"}"#),
    ])
    func `a payload has at most 4096 bytes, and a larger one is answered`(
        size: Int,
        status: String,
        body: String
    ) async throws {
        try await ServedGateway.with { port, _ in
            let payload = String(repeating: "a", count: size)
            let answers = try await GatewayClient.send([try GatewayClient.push()], body: payload, to: port)
            #expect(answers.map(\.status) == [status] && answers.map(\.body) == [body])
        }
    }

    @Test func `a push without a payload is refused`() async throws {
        try await ServedGateway.with { port, _ in
            let answers = try await GatewayClient.send([try GatewayClient.push()], body: "", to: port)
            #expect(answers.map(\.body) == [#"{"reason":"PayloadEmpty"}"#])
        }
    }

    @Test func `only known header fields of a bounded size are kept`() {
        let long = String(repeating: "a", count: 10000)
        let fields = [
            ("cookie", long), ("Apns-Topic", "a.b"), ("apns-topic", "c.d"), ("apns-topic", "e.f"),
            ("authorization", long), ("apns-id", long),
        ]
        let head = RequestHead(method: "POST", path: "/3/device/" + long, fields: fields)
        #expect(head.fields.map(\.name) == ["apns-topic", "apns-topic", "authorization", "apns-id"])
        #expect(head.fields.map(\.value.utf8.count) == [3, 3, 2049, 320] && head.path.utf8.count == 320)
        #expect(ProviderToken(authorization: head.fields[2].value) == nil)
    }

    @Test func `a stopping gateway answers the requests at the host, then ends its connections`() async throws {
        let host = HeldHost()
        let port = try await ServedGateway.with(host) { port, stop in
            let client = try await GatewayClient(port: port)
            let first = client.send(try GatewayClient.push())
            await host.waitForPush()
            stop()
            // The gateway refuses new requests before it closes its port.
            while (try? await Self.connect(port)) != nil { await Task.yield() }
            let refused = try await client.send(try GatewayClient.push(UUID().uuidString)).get()
            #expect(refused.status == "503" && refused.body == #"{"reason":"Shutdown"}"#)
            host.release()
            #expect(try await first.get().status == "200")
            try await client.channel.closeFuture.get()
            return port
        }
        await #expect(throws: (any Error).self) { try await Self.connect(port) }
    }

    private static func connect(_ port: Int) async throws {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get().close()
    }
}
