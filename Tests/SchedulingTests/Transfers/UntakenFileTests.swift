// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Files that a plugin does not take count against its limit of transfers", .proves("C24"))
struct UntakenFileTests {
    let host = SchedulerDriver.forTransfers {
        $0.limits.transfer = 2
        $0.transfers.retention = .seconds(7 * 86_400)
    }

    @Test func `a plugin that begins transfers and takes no file is refused, with the remedy`() throws {
        for _ in 1...2 { host.finishTransfer() }
        let refusal = try #require(host.download()?.refusal)
        #expect(refusal.subReason == .transferLimit)
        #expect(refusal.message.contains("0 open transfers and 2 files that it has not taken"))
        #expect(refusal.message.contains("take the files, or raise limits.transfer"))
    }

    @Test func `a taken file does not count`() throws {
        let numbers = try (1...2).map { _ in try #require(host.finishTransfer()) }
        host.submit(.clean)
        let plan = try #require(host.plans.last { $0.lane == .background })
        host.enter(plan)
        host.send(.transferTaken(plan.number, numbers[0]))
        #expect(host.download()?.refusal == nil)
        #expect(host.download()?.refusal?.subReason == .transferLimit)
    }

    @Test func `untaken files count after a restart of the host`() {
        for _ in 1...2 { host.finishTransfer() }
        host.restart()
        #expect(host.download()?.refusal?.subReason == .transferLimit)
    }

    @Test func `a file whose retention is over does not count`() {
        for _ in 1...2 { host.finishTransfer() }
        host.advance(by: .seconds(7 * 86_400 - 60))
        #expect(host.download()?.refusal != nil)
        host.advance(by: .seconds(120))
        #expect(host.download()?.refusal == nil)
    }

    @Test func `the response to an upload does not count after its event was handled`() {
        for _ in 1...3 { host.finishTransfer(.upload) }
        #expect(host.ledger.transfers.isEmpty)
        #expect(host.download()?.refusal == nil)
    }
}
