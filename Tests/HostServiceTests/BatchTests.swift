// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Scheduling
import Synchronization
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("The events of a batch are handled in order, and each one is answered")
struct BatchTests {
    private let plugin: PluginIdentifier

    init() throws { plugin = try #require(PluginIdentifier("com.example.feed")) }

    private func task(_ number: Int) throws -> TaskIdentifier {
        try #require(TaskIdentifier("com.example.feed.task\(number)"))
    }

    /// The change that installs a plugin with one task for each number.
    private func installation(tasks: Range<Int>) throws -> SchedulerEvent {
        let entry = PluginEntry(
            identifier: plugin,
            name: "Feed",
            version: "1",
            role: .main,
            permitted: try tasks.map { .exact(try task($0)) },
            modes: [.processing],
            library: LibraryFile(
                path: "/opt/libFeed.so",
                digest: "ab12",
                identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            ),
            manifestPath: "/etc/feed.yaml",
            manifestDigest: ""
        )
        return .catalogued(CatalogueChange(to: Catalogue([entry])))
    }

    /// A submission that does not run during a test.
    private func submission(_ number: Int) throws -> @Sendable (ReplyToken) -> SchedulerEvent {
        let request = TaskRequest(
            identifier: try task(number),
            kind: .processing,
            earliestBegin: HostFixture.tomorrow
        )
        return { .submitted(Submission(request: request, submitter: .user), reply: $0) }
    }

    @Test
    func `the events of a batch are taken from the mailbox in order, without events of another batch between them`() {
        let mailbox = Mailbox()
        let (threads, size) = (4, 500)
        for thread in 0..<threads {
            Thread.detachNewThread {
                mailbox.put(batch: (0..<size).map { .event(.committed(Ticket(rawValue: UInt64(thread * size + $0)))) })
            }
        }
        var taken: [UInt64] = []
        while taken.count < threads * size {
            if case .event(.committed(let ticket)) = mailbox.take()?.input { taken.append(ticket.rawValue) }
        }
        for start in stride(from: 0, to: taken.count, by: size) {
            #expect(taken[start..<start + size].elementsEqual(taken[start]..<taken[start] + UInt64(size)))
        }
    }

    @Test func `the answers to a batch have the order of its requests, and a refusal is in its request's place`()
        async throws
    {
        try await LoopFixture.with { fixture in
            try await fixture.run {
                fixture.loop.post(try installation(tasks: 0..<2))
                let answers = await fixture.loop.ask([try submission(0), try submission(2), try submission(1)])
                guard case .submitted(let first, plugin, nil) = answers[0], case .refused(let refusal) = answers[1],
                    case .submitted(let last, plugin, nil) = answers[2], answers.count == 3
                else {
                    Issue.record("\(answers)")
                    return
                }
                #expect(first < last && refusal.subReason == .identifierNotPermitted)
                let pending = try fixture.ledger.work(of: plugin).requests.map(\.number)
                #expect(pending.sorted() == [first, last])
            }
        }
    }

    @Test func `an empty batch has no answers`() async throws {
        try await LoopFixture.with { fixture in
            let none: [@Sendable (ReplyToken) -> SchedulerEvent] = []
            #expect(await fixture.loop.ask(none).isEmpty)
        }
    }

    @Test func `the answers to a batch accept exactly the requests whose commits succeed, and refuse the others`()
        async throws
    {
        struct DiskGone: Error {}
        enum Fault { case none, everyGroup, everySecondGroup }
        let state = Mutex((fault: Fault.none, groups: 0))
        let hooks = LedgerHooks(beforeGroupCommit: { _ in
            let fails = state.withLock { state in
                state.groups += 1
                return state.fault == .everyGroup || state.fault == .everySecondGroup && state.groups % 2 == 0
            }
            if fails { throw DiskGone() }
        })
        try await LoopFixture.with(hooks: hooks) { fixture in
            try await fixture.run {
                fixture.loop.post(try installation(tasks: 0..<10))
                _ = await fixture.loop.ask([try submission(0)])
                for fault in [Fault.everyGroup, .everySecondGroup, .none] {
                    state.withLock { $0.fault = fault }
                    let answers = await fixture.loop.ask(try (1..<10).map { try submission($0) })
                    let pending = try fixture.ledger.work(of: plugin).requests
                    var accepted: [SubmissionNumber] = []
                    for answer in answers {
                        switch answer {
                        case .submitted(let number, _, _): accepted.append(number)
                        case .refused(let refusal): #expect(refusal.subReason == .notRecorded)
                        default: Issue.record("\(answer)")
                        }
                    }
                    let recorded = Set(pending.map(\.number))
                    #expect(recorded.isSuperset(of: accepted) && answers.count == 9)
                    switch fault {
                    case .everyGroup: #expect(accepted.isEmpty && recorded.count == 1)
                    case .everySecondGroup: #expect(recorded.count == 1 + accepted.count)
                    case .none: #expect(accepted.count == 9 && recorded.count == 10)
                    }
                }
            }
        }
    }

    @Test func `every request of a batch that a stopped decision loop does not reach is refused`() async throws {
        try await LoopFixture.with { fixture in
            let mayGoOn = DispatchSemaphore(value: 0)
            fixture.loop.mailbox.put(.reading(body: { _, _ in mayGoOn.wait() }, close: {}))
            fixture.loop.post(.stopRequested)
            async let asked = fixture.loop.ask([try submission(0), try submission(1)])
            mayGoOn.signal()
            try await fixture.loop.run()
            let late = await fixture.loop.ask([try submission(2)])
            for answer in try await asked + late {
                guard case .refused(let refusal) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(refusal.subReason == .hostStopping)
            }
        }
    }
}
