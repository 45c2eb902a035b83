// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("Changes are read back as they were committed")
struct ChangeTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    @Test func `a stored request is read back with every field`() async throws {
        let requests = [fullRequest(7), plainRequest(8, "clean"), continuedRequest(9)]
        try await ledger.commitAndWait(requests.map { .storeRequest($0, payload: []) })
        #expect(try ledger.pendingRequests() == requests)
    }

    @Test func `a newer request replaces the pending one of its identifier and no other`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]),
            .storeRequest(plainRequest(2, "clean"), payload: []),
            .storeRequest(plainRequest(3, of: cleaner), payload: []),
        ])
        try await ledger.commitAndWait([.storeRequest(plainRequest(4), payload: [4])])
        #expect(
            try ledger.pendingRequests() == [plainRequest(2, "clean"), plainRequest(3, of: cleaner), plainRequest(4)]
        )
    }

    @Test func `a removed request is no longer pending, and a second removal changes nothing`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: []), .storeRequest(fullRequest(2, "clean"), payload: []),
        ])
        try await ledger.commitAndWait([.removeRequest(1)])
        try await ledger.commitAndWait([.removeRequest(1)])
        #expect(try ledger.pendingRequests() == [fullRequest(2, "clean")])
    }

    @Test
    func `a launch stores the deferral and retry state of its tasks, and a requeue updates the retry state`()
        async throws
    {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .storeEvent(trigger(2, of: feed), payload: []),
        ])
        let retry = Retry(attempts: 1, notBefore: time(7), runsAlone: true, wasInterrupted: true, hostLosses: 4)
        var request = plainRequest(1)
        (request.deferredSince, request.retry) = (time(9), retry)
        var event = trigger(2, of: feed)
        event.retry = retry
        try await ledger.commitAndWait([.startLaunch(plan(1, [.request(request), .event(event)]))])
        #expect(try ledger.snapshot().running.first?.unfinished == [.request(request), .event(event)])

        request.retry.hostLosses = 5
        event.retry.hostLosses = 5
        try await ledger.commitAndWait([
            .requeueTask(1, .request(request), at: time(9)),
            .requeueTask(1, .event(event), at: WallTime(nanoseconds: 9)),
            .endLaunch(1, end(.lost)),
        ])
        #expect(try ledger.work(of: feed) == PluginWork(plugin: feed, requests: [request], events: [event]))
    }

    @Test func `two events of the same type are stored as two events, in the order of their numbers`() async throws {
        try await ledger.commitAndWait([.storeEvent(started(1), payload: []), .storeEvent(started(2), payload: [])])
        #expect(try ledger.pendingEvents() == [started(1), started(2)])
        try await ledger.commitAndWait([.removeEvent(1)])
        #expect(try ledger.pendingEvents() == [started(2)])
    }

    @Test func `a launch moves its batch with the payloads from pending to running`() async throws {
        let batch: [PendingWork] = [.request(fullRequest(2, "clean")), .request(fullRequest(1))]
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1, 1]),
            .storeRequest(fullRequest(2, "clean"), payload: []),
            .storeRequest(plainRequest(3, "later"), payload: [3]),
        ])
        try await ledger.commitAndWait([.startLaunch(plan(41, batch))])

        let snapshot = try ledger.snapshot()
        #expect(try ledger.pendingRequests() == [plainRequest(3, "later")])
        let running = try #require(snapshot.running.first)
        #expect(snapshot.running.count == 1)
        #expect(running.number == 41 && running.plugin == feed && running.lane == .background)
        #expect(running.process == plan(41, batch).process)
        #expect(running.startedAt == plan(41, batch).startedAt)
        #expect(running.unfinished == batch)
        #expect(running.mayNotBeRequeued.isEmpty)
        #expect(try ledger.payloads(ofLaunch: 41) == [1: [1, 1], 2: []])
    }

    @Test
    func `an event keeps its type and payload through launch and requeue, and a requeue stores its new retry state`()
        async throws
    {
        try await ledger.commitAndWait([.storeEvent(started(5), payload: [9, 8])])
        try await ledger.commitAndWait([.startLaunch(plan(1, [.event(started(5))]))])
        let snapshot = try ledger.snapshot()
        #expect(try ledger.pendingEvents().isEmpty)
        #expect(snapshot.running.first?.lane == .event)
        #expect(snapshot.running.first?.unfinished == [.event(started(5))])
        #expect(try ledger.payloads(ofLaunch: 1) == [5: [9, 8]])

        var back = started(5)
        back.retry.attempts = 2
        try await ledger.commitAndWait([.requeueTask(1, .event(back), at: time(9)), .endLaunch(1, end(.crashed))])
        #expect(try ledger.pendingEvents() == [back])
        try await ledger.commitAndWait([.startLaunch(plan(2, [.event(back)]))])
        #expect(try ledger.payloads(ofLaunch: 2) == [5: [9, 8]])
    }

    @Test func `a trigger keeps its payload and its order through launch and requeue`() async throws {
        let payload = [UInt8](repeating: 7, count: TaskRequest.maximumPayload)
        try await ledger.commitAndWait([
            .storeEvent(trigger(1), payload: payload), .storeEvent(trigger(2), payload: []),
            .storeEvent(trigger(3), payload: [3]),
        ])
        let batch: [PendingWork] = [.event(trigger(1)), .event(trigger(2))]
        try await ledger.commitAndWait([.startLaunch(plan(1, batch, of: keyboard))])
        #expect(try ledger.snapshot().running.first?.unfinished == batch)
        #expect(try ledger.payloads(ofLaunch: 1) == [1: payload, 2: []])
        try await ledger.commitAndWait([
            .endTask(1, 2), .requeueTask(1, batch[0], at: time(9)), .endLaunch(1, end(.crashed)),
        ])
        #expect(try ledger.pendingEvents() == [trigger(1), trigger(3)])
        try await ledger.commitAndWait([.startLaunch(plan(2, [batch[0]], of: keyboard))])
        #expect(try ledger.payloads(ofLaunch: 2) == [1: payload])
    }

    @Test func `an ended task is no longer unfinished, and its payload is deleted`() async throws {
        let batch: [PendingWork] = [.request(fullRequest(1)), .request(fullRequest(2, "clean"))]
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]), .storeRequest(fullRequest(2, "clean"), payload: [2]),
            .startLaunch(plan(1, batch)),
        ])
        try await ledger.commitAndWait([.endTask(1, 1)])
        #expect(try ledger.snapshot().running.first?.unfinished == [batch[1]])
        #expect(try ledger.payloads(ofLaunch: 1) == [2: [2]])
    }

    @Test func `a requeued task is pending again with its new retry state and its payload`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [7, 7, 7]), .startLaunch(plan(1, [.request(plainRequest(1))])),
        ])
        var back = plainRequest(1)
        back.retry = Retry(attempts: 1, notBefore: time(99), runsAlone: true, wasInterrupted: true)
        try await ledger.commitAndWait([.requeueTask(1, .request(back), at: time(9)), .endLaunch(1, end(.crashed))])

        let snapshot = try ledger.snapshot()
        #expect(try ledger.pendingRequests() == [back] && snapshot.running.isEmpty)
        try await ledger.commitAndWait([.startLaunch(plan(2, [.request(back)]))])
        #expect(try ledger.payloads(ofLaunch: 2) == [1: [7, 7, 7]])
    }

    @Test func `a pending request supersedes an older task that is requeued, with a journal entry`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [.request(plainRequest(1))])),
        ])
        try await ledger.commitAndWait([.storeRequest(fullRequest(2), payload: [2])])
        try await ledger.commitAndWait([
            .requeueTask(1, .request(plainRequest(1)), at: time(9)), .endLaunch(1, end(.lost)),
        ])
        #expect(try ledger.pendingRequests() == [fullRequest(2)])
        let lines = try ledger.journal(JournalSelection(limit: 9))
        #expect(lines.map(\.event) == ["superseded"] && lines.map(\.at) == [time(9)])
        #expect(lines.map(\.submission) == [1] && lines.map(\.successor) == [2] && lines.map(\.launch) == [1])
        try await ledger.commitAndWait([.startLaunch(plan(2, [.request(fullRequest(2))]))])
        #expect(try ledger.payloads(ofLaunch: 2) == [2: [2]])
    }

    @Test func `a running task whose requeue is forbidden is marked so, and stays unfinished`() async throws {
        let batch: [PendingWork] = [.request(fullRequest(1)), .request(fullRequest(2, "clean"))]
        try await ledger.commitAndWait(
            batch.compactMap { if case .request(let request) = $0 { .storeRequest(request, payload: []) } else { nil } }
                + [.startLaunch(plan(1, batch))]
        )
        try await ledger.commitAndWait([.forbidRequeue(1, 2)])
        #expect(try ledger.snapshot().running.first?.mayNotBeRequeued == [2])
        #expect(try ledger.snapshot().running.first?.unfinished == batch)
    }

    @Test func `an ended launch is no longer running`() async throws {
        try await ledger.commitAndWait([.startLaunch(plan(1, [])), .startLaunch(plan(2, [], of: cleaner))])
        try await ledger.commitAndWait([.endLaunch(1, end())])
        #expect(try ledger.snapshot().running.map(\.number) == [2])
    }

    @Test func `a known plugin is read back as it was stored last, until its record is deleted`() async throws {
        var known = KnownPlugin(entry(feed))
        let other = KnownPlugin(
            identifier: cleaner,
            manifestPath: "/m",
            manifestDigest: "c",
            libraryDigest: "d",
            permitted: []
        )
        try await ledger.commitAndWait([.rememberPlugin(known), .rememberPlugin(other)])
        #expect(try ledger.snapshot().known == [other, known])
        known.missingSince = time(12)
        try await ledger.commitAndWait([.rememberPlugin(known), .forgetPlugin(cleaner), .forgetPlugin(keyboard)])
        #expect(try ledger.snapshot().known == [known])
    }
}
