// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Crypto
import Foundation
import Synchronization
import TaskModel
import Testing

@testable import PushGateway

/// Keys, tokens and requests of the tests.
enum Samples {
    static let signer = P256.Signing.PrivateKey()
    static let team = "EXAMPLETEA"
    static let keyID = "ABC123DEFG"
    static let deviceToken = String(repeating: "a5", count: 32)
    static let now = WallTime(nanoseconds: 1_800_000_000_000_000_000)
    static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// The value of `authorization` with a valid token, which is always the same: a signature is random.
    static let authorized = Result { try authorization() }

    static func key(
        _ id: String = keyID,
        plugins: [String] = ["com.example.*"],
        signer: P256.Signing.PrivateKey = signer
    ) throws -> PushKey {
        let patterns = try plugins.map { try #require(PluginPattern($0)) }
        return try PushKey(id: id, team: team, plugins: patterns, pem: signer.pemRepresentation)
    }

    static func plugin(_ text: String = "com.example.feed") throws -> PluginIdentifier {
        try #require(PluginIdentifier(text))
    }

    /// The value of `authorization` with a token.
    ///
    /// - Parameter issued: the JSON of `iat`.
    static func authorization(
        id: String = keyID,
        team: String = team,
        issued: String = "1800000000",
        algorithm: String = "ES256",
        signer: P256.Signing.PrivateKey = signer
    ) throws -> String {
        let head = encoded(Data(#"{"alg":"\#(algorithm)","kid":"\#(id)"}"#.utf8))
        let claims = encoded(Data(#"{"iss":"\#(team)","iat":\#(issued)}"#.utf8))
        let signature = try signer.signature(for: Data("\(head).\(claims)".utf8)).rawRepresentation
        return "bearer \(head).\(claims).\(encoded(signature))"
    }

    static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// A valid push with changed header fields, and without some.
    static func request(
        _ changes: [String: String] = [:],
        without absent: [String] = [],
        method: String = "POST",
        path: String = "/3/device/" + deviceToken,
        body: String = #"{"aps":{"content-available":1}}"#,
        isTooLarge: Bool = false
    ) throws -> GatewayRequest {
        var fields: [String: String] = [
            "apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b", "apns-topic": "com.example.feed",
            "apns-push-type": "background", "apns-priority": "5", "authorization": try authorized.get(),
        ]
        for (name, value) in changes { fields[name] = value }
        for name in absent { fields[name] = nil }
        return GatewayRequest(
            method: method,
            path: path,
            fields: fields.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) },
            body: Array(body.utf8),
            isTooLarge: isTooLarge
        )
    }
}

/// A host that records the pushes and answers with one verdict.
final class RecordingHost: PushHost {
    private let verdict: PushVerdict
    private let received = Mutex<[PluginPush]>([])

    init(_ verdict: PushVerdict = .accepted) { self.verdict = verdict }

    var pushes: [PluginPush] { received.withLock(\.self) }

    func push(_ push: PluginPush, to plugin: PluginIdentifier) async -> PushVerdict {
        received.withLock { $0.append(push) }
        return verdict
    }
}

/// A host that accepts pushes only after `release`.
final class HeldHost: PushHost {
    private let started: (stream: AsyncStream<Void>, end: AsyncStream<Void>.Continuation)
    private let held = Mutex<(isHeld: Bool, waiting: [CheckedContinuation<Void, Never>])>((true, []))

    init() {
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        started = (stream, end)
    }

    /// Returns when the first push has reached the host.
    func waitForPush() async { for await _ in started.stream {} }

    func release() {
        let waiting = held.withLock { held in
            defer { held = (false, []) }
            return held.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func push(_ push: PluginPush, to plugin: PluginIdentifier) async -> PushVerdict {
        started.end.finish()
        await withCheckedContinuation { continuation in
            let isHeld = held.withLock { held in
                if held.isHeld { held.waiting.append(continuation) }
                return held.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        return .accepted
    }
}
