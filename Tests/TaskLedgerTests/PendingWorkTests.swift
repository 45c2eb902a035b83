// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Pending work is loaded plugin by plugin")
struct PendingWorkTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    @Test
    func `a snapshot lists the plugins with pending work in the order of their identifiers`() async throws {
        try await ledger.commitAndWait([
            .storeEvent(trigger(1), payload: []), .storeRequest(plainRequest(2), payload: []),
            .storeRequest(plainRequest(3, of: cleaner), payload: []), .rememberPlugin(KnownPlugin(entry(feed))),
        ])
        #expect(try ledger.snapshot().pendingPlugins == [cleaner, feed, keyboard])
        try await ledger.commitAndWait([
            .removeEvent(1), .removeRequest(3), .startLaunch(plan(1, [.request(plainRequest(2))])),
            wait(.request(plainRequest(3, of: cleaner)), for: ["heat"], at: 1),
            .setFetch(cleaner, FetchSchedule(interval: .seconds(60), last: time(1))),
        ])
        #expect(try ledger.snapshot().pendingPlugins.isEmpty)
        try await ledger.commitAndWait([
            .requeueTask(1, .request(plainRequest(2)), at: time(9)), .endLaunch(1, end(.lost)),
        ])
        #expect(try ledger.snapshot().pendingPlugins == [feed])
    }

    @Test func `the work of a plugin is loaded in the order of its submission numbers`() async throws {
        let names = ["d", "a", "c", "b"]
        try await ledger.commitAndWait(
            names.enumerated().flatMap { index, name -> [LedgerChange] in
                let number = Int64(2 * index + 1)
                return [
                    .storeRequest(plainRequest(number, name), payload: [1]),
                    .storeEvent(started(number + 1), payload: [2]),
                    .storeRequest(plainRequest(number + 100, name, of: cleaner), payload: []),
                ]
            }
        )
        let work = try ledger.work(of: feed)
        #expect(work.requests.map(\.number) == [1, 3, 5, 7] && work.events == [2, 4, 6, 8].map { started($0) })
        #expect(work.requests.map(\.request.identifier.text) == names.map { "com.example.feed.\($0)" })
        #expect(try ledger.work(of: cleaner).requests.map(\.number) == [101, 103, 105, 107])
    }

    @Test func `an unknown plugin has no pending work`() throws {
        #expect(try ledger.work(of: keyboard) == PluginWork(plugin: keyboard))
    }

    @Test(arguments: [Submitter.user, .schedule, .plugin(feed), .plugin(keyboard)])
    func `a submitter is read back as it was stored, for pending and running work`(submitter: Submitter) async throws {
        let request = PendingRequest(
            plugin: feed,
            number: 1,
            request: TaskRequest(identifier: task("com.example.feed.refresh"), kind: .refresh),
            submitter: submitter,
            submittedAt: time(1)
        )
        try await ledger.commitAndWait([.storeRequest(request, payload: [])])
        #expect(try ledger.work(of: feed).requests == [request])
        try await ledger.commitAndWait([.startLaunch(plan(1, [.request(request)]))])
        #expect(try ledger.snapshot().running.first?.unfinished == [.request(request)])
    }

    @Test
    func `newly recorded deferral periods of a class of work replace the earlier ones and are read in order`()
        async throws
    {
        let (refresh, export) = (PendingWork.request(plainRequest(1)), PendingWork.request(continuedRequest(2)))
        try await ledger.commitAndWait([
            .setDeferrals(WaitKey(of: refresh), [deferral(1, 2), deferral(3)]),
            .setDeferrals(WaitKey(of: export), [deferral(5, 6)]),
        ])
        #expect(
            try ledger.work(of: feed).deferrals == [
                WorkClass(of: refresh): [deferral(1, 2), deferral(3)], WorkClass(of: export): [deferral(5, 6)],
            ]
        )
        try await ledger.commitAndWait([
            .setDeferrals(WaitKey(of: refresh), [deferral(3, 4), deferral(7, 8), deferral(9, 9)]),
            .setDeferrals(WaitKey(of: export), []),
        ])
        let periods = [deferral(3, 4), deferral(7, 8), deferral(9, 9)]
        #expect(try ledger.work(of: feed).deferrals == [WorkClass(of: refresh): periods])
        let error = try await ledgerError {
            try await ledger.commitAndWait([.setDeferrals(WaitKey(of: refresh), [deferral(1), deferral(2)])])
        }
        #expect(error.code == .contradiction && error.message.contains("has no end, but is not the last one"))
        #expect(try ledger.work(of: feed).deferrals == [WorkClass(of: refresh): periods])
    }

    @Test func `pending work is loaded on several threads while a group is written`() async throws {
        let directory = try LedgerDirectory()
        let gate = Gate()
        let ledger = try Ledger.open(path: directory.path, hooks: gate.hooks)
        ledger.submit(ticket: 1, changes: [.storeRequest(plainRequest(1), payload: [])])
        await gate.reached()
        try await withThrowingTaskGroup(of: PluginWork.self) { group in
            for _ in 1...2 * Ledger.readers { group.addTask { try ledger.work(of: feed) } }
            for try await work in group { #expect(work == PluginWork(plugin: feed)) }
        }
        gate.open()
        try await ledger.commitAndWait([])
        #expect(try ledger.work(of: feed).requests == [plainRequest(1)])
        try ledger.close()
    }

    @Test func `a class of work has pending work exactly if a request of that class is pending`() async throws {
        let requests = everyClass()
        for request in requests {
            try await ledger.commitAndWait([.storeRequest(request, payload: [])])
            let pending = try await ledger.database.read { database in
                let id = try #require(try Int64.fetchOne(database, sql: "SELECT id FROM plugin"))
                return try requests.filter {
                    try database.hasPendingWork(ofClass: WorkClass(of: $0.request).code, plugin: id)
                }
            }
            #expect(pending == requests.filter { WorkClass(of: $0.request) == WorkClass(of: request.request) })
            try await ledger.commitAndWait([.removeRequest(request.number)])
        }
    }

    /// Requests of all classes for some kinds and required conditions. Some have a data protection that does not affect
    /// the class.
    private func everyClass() -> [PendingRequest] {
        var requests: [PendingRequest] = []
        for kind in [TaskKind.refresh, .processing, .healthResearch, .continued] {
            for (network, power) in [(false, false), (true, false), (false, true)] {
                for protection in [ProtectionType.untilFirstAuthentication, .complete] {
                    for resources in kind == .continued ? [[], .gpu] : [nil] as [TaskResources?] {
                        let request = TaskRequest(
                            identifier: task("com.example.feed.refresh"),
                            kind: kind,
                            requiresNetwork: network,
                            requiresExternalPower: power,
                            protection: protection,
                            continued: resources.map { ContinuedTerms(title: "x", resources: $0) }
                        )
                        let number = SubmissionNumber(rawValue: Int64(requests.count + 1))
                        requests.append(
                            PendingRequest(
                                plugin: feed,
                                number: number,
                                request: request,
                                submitter: .user,
                                submittedAt: time(1)
                            )
                        )
                    }
                }
            }
        }
        return requests
    }
}
