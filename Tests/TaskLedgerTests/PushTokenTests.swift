// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The device token of a plugin is stored until it ends, and its end is remembered")
struct PushTokenTests {
    private func token(_ byte: UInt8) throws -> PushToken {
        try #require(PushToken(bytes: Array(repeating: byte, count: PushToken.size)))
    }

    @Test func `a description of a token, or of a value with a token, has none of its bytes`() throws {
        let token = try token(171)
        for text in ["\(token)", "\(LedgerChange.changePushToken(feed, .issue(token), at: time(1)))"] {
            #expect(!text.contains("171") && !text.contains("abab"))
        }
    }

    @Test func `an issued token is valid for its plugin, and a second issue keeps the first token`() async throws {
        let ledger = try Ledger.inMemory()
        let (first, second) = (try token(1), try token(2))
        try await ledger.commitAndWait([.changePushToken(feed, .issue(first), at: time(1))])
        try await ledger.commitAndWait([.changePushToken(feed, .issue(second), at: time(2))])
        #expect(
            try ledger.pushToken(of: feed) == IssuedPushToken(plugin: feed, token: first, issuedAt: time(1))
        )
        #expect(try ledger.state(of: first) == .valid(feed) && ledger.state(of: second) == .unknown)
        #expect(try ledger.pushToken(of: cleaner) == nil)
    }

    @Test func `a rotated, revoked or forgotten token has ended at its time`() async throws {
        let ledger = try Ledger.inMemory()
        let (first, second) = (try token(1), try token(2))
        try await ledger.commitAndWait([.changePushToken(feed, .issue(first), at: time(1))])
        try await ledger.commitAndWait([.changePushToken(feed, .rotate(to: second), at: time(5))])
        #expect(try ledger.state(of: first) == .ended(feed, at: time(5)))
        #expect(try ledger.state(of: second) == .valid(feed))
        try await ledger.commitAndWait([.changePushToken(feed, .revoke, at: time(7))])
        #expect(try ledger.state(of: second) == .ended(feed, at: time(7)) && ledger.pushTokens().isEmpty)
        try await ledger.commitAndWait([.changePushToken(cleaner, .revoke, at: time(8))])
        #expect(try ledger.pushToken(of: cleaner) == nil)
    }

    @Test func `only the newest twenty ended tokens of a plugin are remembered`() async throws {
        let ledger = try Ledger.inMemory()
        let tokens = try (UInt8(0)...25).map { try token($0) }
        for (second, token) in tokens.enumerated() {
            try await ledger.commitAndWait([.changePushToken(feed, .rotate(to: token), at: time(Int64(second)))])
        }
        let states = try tokens.map { try ledger.state(of: $0) }
        #expect(states.prefix(5).allSatisfy { $0 == .unknown } && states.last == .valid(feed))
        #expect(states.dropFirst(5).dropLast().count { $0 != .unknown } == 20)
    }

    @Test func `an ended token is not in the ledger any more, and a plugin without one is no holder`() async throws {
        let ledger = try Ledger.inMemory()
        let (first, second) = (try token(1), try token(2))
        try await ledger.commitAndWait([
            .changePushToken(feed, .issue(first), at: time(1)), .changePushToken(cleaner, .issue(second), at: time(1)),
        ])
        #expect(try ledger.snapshot().pushTokenHolders == [feed, cleaner])
        try await ledger.commitAndWait([.changePushToken(feed, .revoke, at: time(5))])
        #expect(try ledger.snapshot().pushTokenHolders == [cleaner])
        let stored = try await ledger.database.read { database in
            try Data.fetchAll(database, sql: "SELECT digest FROM ended_push_token")
        }
        #expect(stored.count == 1 && stored.first?.count == 32 && stored.first != Data(first.bytes))
        #expect(try ledger.state(of: first) == .ended(feed, at: time(5)))
    }

    @Test func `a token is written as 64 hexadecimal digits and read in either case`() throws {
        let bytes = (0..<32).map { UInt8($0 * 8) }
        let token = try #require(PushToken(bytes: bytes))
        #expect(token.hexadecimal.count == 64 && token.hexadecimal.hasPrefix("00081018"))
        #expect(PushToken(hexadecimal: token.hexadecimal) == token)
        #expect(PushToken(hexadecimal: token.hexadecimal.uppercased()) == token)
        #expect(PushToken(hexadecimal: String(token.hexadecimal.dropLast())) == nil)
        #expect(PushToken(hexadecimal: "g" + token.hexadecimal.dropFirst()) == nil && PushToken(bytes: [1]) == nil)
    }

    @Test func `the deadline of a request survives its storage, its launch and its requeueing`() async throws {
        let ledger = try Ledger.inMemory()
        let request = PendingRequest(
            plugin: feed,
            number: SubmissionNumber(rawValue: 1),
            request: .push(to: feed, expiresAt: time(9), isLowPriority: true),
            submitter: .user,
            submittedAt: time(1)
        )
        try await ledger.commitAndWait([.storeRequest(request, payload: [1, 2])])
        #expect(try ledger.work(of: feed).requests == [request])
        try await ledger.commitAndWait([.startLaunch(plan(1, [.request(request)]))])
        #expect(try ledger.snapshot().running.first?.unfinished == [.request(request)])
        try await ledger.commitAndWait([
            .requeueTask(1, .request(request), at: time(3)), .endLaunch(1, end()),
        ])
        #expect(try ledger.work(of: feed).requests == [request])
    }

    @Test func `the number of a push that has only a journal entry is not assigned again`() async throws {
        let ledger = try Ledger.inMemory()
        let entry = JournalEntry(
            at: time(1),
            event: .lapsed,
            plugin: feed,
            label: TaskIdentifier.push(to: feed).text,
            submission: SubmissionNumber(rawValue: 41),
            blame: .nobody,
            message: "push 41 lapsed"
        )
        try await ledger.commitAndWait([.journal(entry)])
        #expect(try ledger.snapshot().lastSubmission.rawValue == 41)
    }
}
