// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("Lists have the newest report of a running transfer, and the last try of every other one")
struct RunningTransferTests {
    private func transfer() throws -> Transfer {
        var transfer = Transfer(
            plugin: try #require(PluginIdentifier("com.example.feed")),
            number: SubmissionNumber(rawValue: 12),
            direction: .download,
            session: try #require(TransferSession("photos")),
            label: nil,
            url: "https://example.com/1.jpg",
            place: "12-00ff",
            begunAt: WallTime(nanoseconds: 1)
        )
        (transfer.bytes, transfer.total) = (100, 900)
        return transfer
    }

    @Test func `a running transfer is listed with the bytes of its report`() throws {
        let transfer = try transfer()
        let report = TaskProgress(done: 400, total: 1_000)
        let listed = transfer.listed(among: RunningTransfers([(transfer.number, report)]))
        #expect(listed.state == .running && listed.bytes == 400 && listed.total == 1_000)
    }

    @Test func `a running transfer without a report, or without a known size, keeps those of its last try`() throws {
        let transfer = try transfer()
        let silent = transfer.listed(among: RunningTransfers([(transfer.number, nil)]))
        #expect(silent.state == .running && silent.bytes == 100 && silent.total == 900)
        let unsized = transfer.listed(among: RunningTransfers([(transfer.number, TaskProgress(done: 7, total: .max))]))
        #expect(unsized.bytes == 7 && unsized.total == 900)
    }

    @Test func `a waiting transfer is listed with the bytes of its last try`() throws {
        let listed = try transfer().listed(among: RunningTransfers())
        #expect(listed.state == .waiting && listed.bytes == 100 && listed.total == 900)
    }
}
