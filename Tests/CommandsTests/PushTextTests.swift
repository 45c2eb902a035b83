// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("The commands for pushes check their options, and print the state of a push")
struct PushTextTests {
    private let reader = Reader(now: Samples.now, timeZone: .gmt)

    private func reply(
        _ state: PluginPushReply.State,
        replacing replaced: Int64? = nil,
        successor: Int64? = nil,
        expiresAt: WallTime? = nil
    ) throws -> String {
        PluginPushReply(
            SubmissionNumber(rawValue: 15),
            plugin: try Samples.plugin(),
            state: state,
            replacing: replaced.map(SubmissionNumber.init),
            successor: successor.map(SubmissionNumber.init),
            expiresAt: expiresAt
        ).text(for: reader)
    }

    @Test func `the text of a push names its state, and the pushes that it replaced or that replaced it`() throws {
        #expect(try reply(.stored) == "push 15 waits for delivery to com.example.feed\n")
        #expect(
            try reply(.stored, replacing: 14)
                == "push 15 waits for delivery to com.example.feed, replacing push 14\n"
        )
        #expect(
            try reply(.stored, expiresAt: Samples.now + .seconds(720)).contains("; it lapses if it has not started by ")
        )
        #expect(try reply(.replaced, successor: 16) == "push 15 to com.example.feed was replaced by push 16\n")
        #expect(
            try reply(.lapsed)
                == "push 15 to com.example.feed lapsed: its deadline has passed, or it had to start at once and could not\n"
        )
    }

    @Test func `the text of a device token is the token alone`() throws {
        let text = PushTokenReply(try Samples.pushToken()).text(for: reader)
        #expect(text == String(repeating: "a5", count: 32) + "\n")
        let gone = PushTokenRevocationReply(try Samples.plugin(), isRevoked: true).text(for: reader)
        #expect(gone == "the device token of com.example.feed has ended\n")
    }

    @Test(arguments: [
        ["push", "send"], ["push", "send", "a.b", "--priority", "high"],
        ["push", "send", "a.b", "--expires-at", "soon"], ["push", "send", "a.b", "--id", "7"],
        ["push", "token", "a.b", "--rotate", "--revoke"], ["task", "submit", "a.b", "--kind", "push"],
    ])
    func `an invalid option of a push is refused before the call`(arguments: [String]) {
        #expect(throws: (any Error).self) { try BgtaskCommand.parseAsRoot(arguments) }
    }

    @Test func `a push takes a payload, a deadline and a priority`() throws {
        let words = ["push", "send", "a.b", "--payload", "-", "--expires-at", "+1h", "--priority", "low"]
        let command = try #require(try BgtaskCommand.parseAsRoot(words) as? PushSendCommand)
        #expect(command.identifier.text == "a.b" && command.priority == .low && command.expiresAt == "+1h")
        #expect(!command.onlyNow && command.id == nil)
    }

    @Test func `a push takes an identifier, and may have to start at once`() throws {
        let id = "EABEAE54-14A8-11E5-B60B-1697F925EC7B"
        let words = ["push", "send", "a.b", "--only-now", "--id", id.lowercased()]
        let command = try #require(try BgtaskCommand.parseAsRoot(words) as? PushSendCommand)
        #expect(command.onlyNow && command.id?.uuidString == id)
    }
}
