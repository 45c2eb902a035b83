// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The ledger keeps open transfers, and ended ones until their plugin has taken them up", .proves("C24"))
struct TransferTableTests {
    private let main = Self.session("main")

    private static func session(_ text: String) -> TransferSession {
        guard let session = TransferSession(text) else { preconditionFailure("\(text) must be a session") }
        return session
    }

    private func transfer(
        _ number: Int64,
        of plugin: PluginIdentifier = feed,
        _ direction: TransferDescription.Direction = .download,
        in session: TransferSession? = nil,
        labelled label: String = "Photos"
    ) -> Transfer {
        Transfer(
            plugin: plugin,
            number: SubmissionNumber(rawValue: number),
            direction: direction,
            session: session ?? main,
            label: label,
            url: "https://example.com/a",
            place: "\(number)-00ff",
            begunAt: time(100)
        )
    }

    private func ended(
        _ number: Int64,
        _ direction: TransferDescription.Direction = .download,
        in session: TransferSession? = nil,
        labelled label: String = "Photos",
        file: String? = nil,
        at end: Int64 = 200
    ) -> Transfer {
        var transfer = transfer(number, of: feed, direction, in: session, labelled: label)
        transfer.state = .finished
        transfer.httpStatus = 200
        transfer.bytes = 12
        transfer.total = 12
        transfer.idle = .seconds(3)
        transfer.triedAt = time(150)
        transfer.endedAt = time(end)
        transfer.file = file
        transfer.message = "done"
        return transfer
    }

    @Test func `a page has the newest transfers that match plugin, session and states below a number`() async throws {
        let directory = try LedgerDirectory()
        let ledger = try Ledger.open(path: directory.path)
        var paused = transfer(3)
        paused.isPaused = true
        let all = [ended(1), transfer(2, of: cleaner), paused, transfer(4), transfer(5)]
        try await ledger.commitAndWait(all.map { .storeTransfer($0) })
        func page(_ change: (inout TransferSelection) -> Void) throws -> [Int64] {
            var selection = TransferSelection(limit: 3)
            selection.running = [SubmissionNumber(rawValue: 3), SubmissionNumber(rawValue: 5)]
            change(&selection)
            return try ledger.transfers(selection).map(\.number.rawValue)
        }
        #expect(try page { _ in } == [5, 4, 3])
        #expect(try page { $0.before = SubmissionNumber(rawValue: 3) } == [2, 1])
        #expect(try page { $0.plugin = cleaner } == [2])
        #expect(try page { $0.session = Self.session("other") }.isEmpty)
        #expect(try page { $0.states = [.running] } == [5])
        #expect(try page { $0.states = [.waiting] } == [4, 2])
        #expect(try page { $0.states = [.paused, .finished] } == [3, 1])
        #expect(try page { ($0.states, $0.running) = ([.running], []) }.isEmpty)
        try ledger.close()
    }

    @Test func `each value of a transfer is read as it was stored, also in a reopened ledger`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        var paused = transfer(3)
        paused.isPaused = true
        paused.fault = .network
        let all = [ended(1, file: ".transfers/1"), transfer(2, of: cleaner), paused]
        try await ledger.commitAndWait(all.map { .storeTransfer($0) })
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.transfers() == all)
        #expect(try ledger.transfers(of: feed).map(\.number.rawValue) == [1, 3])
        #expect(try ledger.transfer(SubmissionNumber(rawValue: 2)) == all[1])
        try ledger.close()
    }

    @Test func `the work of a plugin has its open transfers and its untaken files, also without a request`()
        async throws
    {
        let ledger = try Ledger.inMemory()
        let left = [transfer(2), ended(3, file: ".transfers/3")]
        try await ledger.commitAndWait(([ended(1)] + left).map { .storeTransfer($0) })
        #expect(try ledger.snapshot().pendingPlugins == [feed])
        #expect(try ledger.work(of: feed).transfers == left)
        try await ledger.commitAndWait([
            .storeTransfer(ended(2)), .takeTransfer(feed, SubmissionNumber(rawValue: 3)),
        ])
        #expect(try ledger.snapshot().pendingPlugins.isEmpty)
    }

    @Test func `a bounded list of a session has its ended transfers first`() async throws {
        let ledger = try Ledger.inMemory()
        let all = [transfer(1), ended(2), transfer(3, in: Self.session("other")), ended(4), transfer(5)]
        try await ledger.commitAndWait(all.map { .storeTransfer($0) })
        func list(_ session: TransferSession?, atMost limit: Int) throws -> [Int64] {
            try ledger.transfers(of: feed, in: session, atMost: limit).map(\.number.rawValue)
        }
        #expect(try list(main, atMost: 9) == [2, 4, 1, 5])
        #expect(try list(main, atMost: 3) == [2, 4, 1])
        #expect(try list(nil, atMost: 9) == [2, 4, 1, 3, 5])
    }

    @Test func `ended transfers are pruned in bounded steps, the oldest first, and open ones stay`() async throws {
        let ledger = try Ledger.inMemory()
        let all = [ended(1, file: ".transfers/1", at: 150), ended(2, at: 120), ended(3, at: 300), transfer(4)]
        try await ledger.commitAndWait(all.map { .storeTransfer($0) })
        func prune() throws -> [Int64] {
            _ = try ledger.pruneTransfers(endedBefore: time(200), atMost: 1)
            return try ledger.transfers().map(\.number.rawValue)
        }
        #expect(try prune() == [1, 3, 4])
        #expect(try prune() == [3, 4])
        #expect(try prune() == [3, 4])
    }

    @Test func `a transfer whose plugin has not received the event about its session is not pruned`() async throws {
        let ledger = try Ledger.inMemory()
        let event = PendingEvent(
            plugin: feed,
            number: SubmissionNumber(rawValue: 5),
            type: .transfersFinished,
            session: main,
            createdAt: time(200)
        )
        try await ledger.commitAndWait([
            .storeTransfer(ended(1, file: ".transfers/1")), .storeTransfer(ended(2, in: Self.session("other"))),
            .storeEvent(event, payload: Array("main".utf8)),
        ])
        #expect(try ledger.pruneTransfers(endedBefore: time(900), atMost: 9) == 1)
        #expect(try ledger.transfers().map(\.number.rawValue) == [1])
        try await ledger.commitAndWait([.removeEvent(event.number)])
        #expect(try ledger.pruneTransfers(endedBefore: time(900), atMost: 9) == 1)
    }

    @Test func `a handled session drops the responses to its uploads`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([
            .storeTransfer(ended(1, .upload, file: ".transfers/1")), .storeTransfer(ended(2, file: ".transfers/2")),
        ])
        try await ledger.commitAndWait([.dropTransfers(feed, main, before: SubmissionNumber(rawValue: 7))])
        #expect(try ledger.transfers().map(\.number.rawValue) == [2])
    }

    @Test func `a handled session keeps open transfers, later ones and files that were not taken`() async throws {
        let ledger = try Ledger.inMemory()
        let known = KnownPlugin(
            identifier: feed,
            manifestPath: "/m",
            manifestDigest: "m",
            libraryDigest: "l",
            permitted: []
        )
        try await ledger.commitAndWait([
            .rememberPlugin(known), .storeTransfer(ended(1)), .storeTransfer(ended(2, file: ".transfers/2")),
            .storeTransfer(ended(3, file: ".transfers/3")), .storeTransfer(transfer(4)), .storeTransfer(ended(8)),
        ])
        try await ledger.commitAndWait([
            .takeTransfer(feed, SubmissionNumber(rawValue: 2)),
            .dropTransfers(feed, main, before: SubmissionNumber(rawValue: 7)),
        ])
        #expect(try ledger.transfers().map(\.number.rawValue) == [3, 4, 8])
    }

    /// A download for the argument of a function whose task is `refresh` of the plugin.
    private func argument(_ number: Int64) -> Transfer {
        let label = "\(feed.text).refresh"
        return ended(number, in: Self.session("argument-1"), labelled: label, file: ".transfers/\(number)")
    }

    @Test func `a taken file stays until the end of the function that may read it`() async throws {
        let ledger = try Ledger.inMemory()
        let request = plainRequest(1)
        try await ledger.commitAndWait([
            .storeRequest(request, payload: []), .storeTransfer(argument(2)),
            .startLaunch(plan(1, [.request(request)])), .takeTransfer(feed, SubmissionNumber(rawValue: 2)),
        ])
        try await ledger.commitAndWait([
            .dropTransfers(feed, Self.session("argument-1"), before: SubmissionNumber(rawValue: 9))
        ])
        #expect(try ledger.transfersWithFiles(of: feed).map(\.number.rawValue) == [2])
        try await ledger.commitAndWait([.endTask(LaunchNumber(rawValue: 1), request.number)])
        #expect(try ledger.transfersWithFiles(of: feed).isEmpty)
    }

    @Test func `the file for the function of a pending or running task is not pruned`() async throws {
        let ledger = try Ledger.inMemory()
        let request = plainRequest(1)
        try await ledger.commitAndWait([.storeRequest(request, payload: []), .storeTransfer(argument(2))])
        #expect(try ledger.pruneTransfers(endedBefore: time(900), atMost: 9) == 0)
        try await ledger.commitAndWait([.startLaunch(plan(1, [.request(request)]))])
        #expect(try ledger.pruneTransfers(endedBefore: time(900), atMost: 9) == 0)
        try await ledger.commitAndWait([.endTask(LaunchNumber(rawValue: 1), request.number)])
        #expect(try ledger.pruneTransfers(endedBefore: time(900), atMost: 9) == 1)
    }

    @Test func `an event about a session is read with the session`() async throws {
        let ledger = try Ledger.inMemory()
        let event = PendingEvent(
            plugin: feed,
            number: SubmissionNumber(rawValue: 5),
            type: .transfersFinished,
            session: main,
            createdAt: time(300)
        )
        try await ledger.commitAndWait([.storeEvent(event, payload: Array("main".utf8))])
        #expect(try ledger.work(of: feed).events == [event])
    }
}
