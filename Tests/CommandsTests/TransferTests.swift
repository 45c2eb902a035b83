// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("bgtask transfer shows, pauses, resumes and cancels background transfers")
struct TransferCommandTests {
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `bgtask transfer list sends its filters and prints state, fault and progress`() async throws {
        let list = TransferListReply(transfers: [try Samples.transfer()])
        let answer = String(decoding: try WireCoding.encode(list), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            let options = ["--plugin", "com.example.feed", "--session", "photos", "--state", "failed,running"]
            let call = ["transfer", "list", "--limit", "5", "--socket", host.socket] + options
            #expect(await terminal.run(list: call) == .done)
            let query = "limit=5&plugin=com.example.feed&session=photos&state=running%2Cfailed"
            #expect(host.requests.map(\.path) == ["/v1/transfers?\(query)"])
            #expect(
                lines(terminal.output) == [
                    "TRANSFER PLUGIN SESSION KIND STATE PROGRESS BEGUN URL",
                    "41 com.example.feed photos download running (server-busy) 40% of 1000 bytes 2026-01-31 01:48:00"
                        + " https://example.com/holidays.zip",
                ]
            )
        }
    }

    @Test func `bgtask transfer show prints the last answer of the server and the bytes`() throws {
        let text = try Samples.transfer().text(for: Reader(now: Samples.now, timeZone: .gmt))
        for line in ["label Holidays", "progress 40% of 1000 bytes", "status 503", "message the server is busy"] {
            #expect(lines(text).contains(line), "\(text)")
        }
    }

    @Test func `a pause, its end and a cancellation are printed with the number of the transfer`() {
        let (reader, number) = (Reader(now: Samples.now, timeZone: .gmt), SubmissionNumber(rawValue: 41))
        let paused = TransferPauseReply(number, isPaused: true).text(for: reader)
        #expect(paused == "transfer 41 is paused until it is resumed\n")
        let resumed = TransferPauseReply(number, isPaused: false).text(for: reader)
        #expect(resumed == "transfer 41 is resumed, and may run\n")
        let ended = TransferCancellationReply(number, isCancelled: false).text(for: reader)
        #expect(ended == "transfer 41 has already ended; nothing is cancelled\n")
    }

    @Test(arguments: ["41", "com.example.feed:transfer:41"])
    func `transfer commands take the number of a transfer or the identifier of its task`(subject: String) async throws {
        let reply = TransferPauseReply(SubmissionNumber(rawValue: 41), isPaused: false)
        let answer = String(decoding: try WireCoding.encode(reply), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            #expect(await Terminal().run("transfer", "resume", subject, "--socket", host.socket) == .done)
            #expect(host.requests.map(\.path) == ["/v1/transfers/41/resume"])
        }
    }

    @Test(arguments: [
        ["transfer", "pause", "zero"], ["transfer", "list", "--session", "Photos"],
        ["transfer", "list", "--state", "runing"],
    ])
    func `an invalid number, session or state is misuse, and no host is asked`(arguments: [String]) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == .misuse)
    }
}
