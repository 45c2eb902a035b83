// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("The token of a sender is valid only with a known key, team and signature, and a recent time", .proves("C22"))
struct ProviderTokenTests {
    private let verifier = ProviderTokenVerifier()

    private func verify(_ authorization: String, keys: [PushKey]) throws(APNsReason) -> PushKey {
        guard let token = ProviderToken(authorization: authorization) else { throw .invalidProviderToken }
        do throws(ProviderTokenFlaw) {
            return try verifier.key(of: token, at: Samples.now) { id in keys.first { $0.id == id } }
        } catch {
            throw error.reason
        }
    }

    @Test(arguments: ["1800000000", "1799996500", "1800000000.25", "\"1800000000\"", "1800000059"])
    func `a token is valid for an hour, with a clock that is up to a minute ahead`(issued: String) throws {
        let key = try Samples.key()
        #expect(try verify(Samples.authorization(issued: issued), keys: [key]) == key)
    }

    @Test(arguments: [("1799996399", APNsReason.expiredProviderToken), ("1800000061", .invalidProviderToken)])
    func `a token older than an hour has expired, and one from the future is invalid`(
        issued: String,
        reason: APNsReason
    ) throws {
        let (key, authorization) = (try Samples.key(), try Samples.authorization(issued: issued))
        #expect(throws: reason) { try verify(authorization, keys: [key]) }
    }

    @Test func `a token with an unknown key, another team, another algorithm or a foreign signature is invalid`() throws
    {
        let key = try Samples.key()
        let stranger = P256.Signing.PrivateKey()
        let tokens = [
            try Samples.authorization(id: "OTHERKEY"), try Samples.authorization(team: "OTHERTEAM"),
            try Samples.authorization(algorithm: "none"), try Samples.authorization(algorithm: "HS256"),
            try Samples.authorization(signer: stranger),
        ]
        for token in tokens {
            #expect(throws: APNsReason.invalidProviderToken) { try verify(token, keys: [key]) }
        }
    }

    @Test(arguments: [
        "", "bearer", "bearer ", "basic a.b.c", "bearer a.b", "bearer a.b.c", "bearer ....", "bearer e30.e30.e30",
        "bearer " + String(repeating: "a", count: 5000),
    ])
    func `text that is no token is invalid`(authorization: String) {
        #expect(ProviderToken(authorization: authorization) == nil)
    }

    @Test func `the key of a token is read from its head alone`() throws {
        let text = try #require(ProviderToken.text(inAuthorization: try Samples.authorization()))
        let head = String(text.prefix { $0 != "." })
        #expect(ProviderToken.keyID(ofText: text) == Samples.keyID)
        #expect(ProviderToken.keyID(ofText: head + ".?.?") == Samples.keyID)
        #expect(ProviderToken(text: head + ".?.?") == nil)
        let other = try #require(ProviderToken.text(inAuthorization: try Samples.authorization(algorithm: "none")))
        #expect(ProviderToken.keyID(ofText: other) == nil && ProviderToken.keyID(ofText: "?") == nil)
    }

    @Test func `a verified token is known by its text, and a refused one is not`() throws {
        let (key, stranger) = (try Samples.key(), P256.Signing.PrivateKey())
        let valid = try Samples.authorization()
        let wrong = try Samples.authorization(signer: stranger)
        _ = try verify(valid, keys: [key])
        #expect(throws: APNsReason.invalidProviderToken) { try verify(wrong, keys: [key]) }
        let texts = try [valid, wrong].map { try #require(ProviderToken.text(inAuthorization: $0)) }
        #expect(texts.map { verifier.verified($0)?.keyID } == [Samples.keyID, nil])
    }

    @Test func `a kept token is verified again after its key was replaced or removed`() throws {
        let (old, token) = (try Samples.key(), try Samples.authorization())
        #expect(try verify(token, keys: [old]) == old)
        let new = try Samples.key(signer: P256.Signing.PrivateKey())
        #expect(throws: APNsReason.invalidProviderToken) { try verify(token, keys: [new]) }
        #expect(throws: APNsReason.invalidProviderToken) { try verify(token, keys: []) }
    }

    private func token(_ issued: Int, team: String = Samples.team) throws -> ProviderToken {
        try #require(ProviderToken(authorization: Samples.authorization(team: team, issued: "\(issued)")))
    }

    @Test func `a connection belongs to one team, and takes a new token every twenty minutes`() throws {
        let (first, second) = (try token(1_800_000_000), try token(1_800_000_001))
        let other = try token(1_800_000_000, team: "OTHERTEAM")
        var history = SenderHistory()
        try history.note(first, at: Samples.start)
        try history.note(first, at: Samples.start + .seconds(60))
        #expect(throws: APNsReason.tooManyProviderTokenUpdates) {
            try history.note(second, at: Samples.start + .seconds(1199))
        }
        try history.note(second, at: Samples.start + .seconds(1200))
        #expect(throws: APNsReason.invalidProviderToken) { try history.note(other, at: Samples.start + .seconds(4000)) }
    }

    @Test func `a token that was issued twenty minutes after the last one is taken on a young connection`() throws {
        let (first, second, third) = (try token(1_800_000_000), try token(1_800_001_800), try token(1_800_002_000))
        var history = SenderHistory()
        try history.note(first, at: Samples.start)
        try history.note(second, at: Samples.start + .seconds(300))
        // A request in progress at the renewal.
        try history.note(first, at: Samples.start + .seconds(300))
        try history.note(second, at: Samples.start + .seconds(301))
        #expect(throws: APNsReason.tooManyProviderTokenUpdates) {
            try history.note(third, at: Samples.start + .seconds(500))
        }
    }

    @Test func `the token before a renewal stays valid when its first request is verified last`() throws {
        let (old, new) = (try token(1_800_000_000), try token(1_800_001_800))
        var history = SenderHistory()
        try history.note(new, at: Samples.start)
        try history.note(old, at: Samples.start)
        try history.note(new, at: Samples.start)
    }

    @Test func `a connection with 32 wrong signatures one after the other is exhausted`() throws {
        var history = SenderHistory()
        for _ in 1...31 { history.noteWrongSignature() }
        try history.note(try token(1_800_000_000), at: Samples.start)
        for _ in 1...31 { history.noteWrongSignature() }
        #expect(!history.isExhausted)
        history.noteWrongSignature()
        #expect(history.isExhausted)
    }
}
