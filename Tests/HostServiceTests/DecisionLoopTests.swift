// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import PluginLaunch
import RunnerWire
import Scheduling
import Synchronization
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("The decision loop owns the scheduler and waits only for its mailbox")
struct DecisionLoopTests {
    private static let launch = LaunchNumber(rawValue: 1)

    /// Takes messages from the mailbox. Returns their number, and the input that follows them; nil when none follows.
    private static func messages(in mailbox: Mailbox) -> (count: Int, next: DecisionLoop.Input?) {
        var count = 0
        while true {
            let input = mailbox.take()?.input
            guard case .launch(.message(launch, .assertionEnded)) = input else { return (count, input) }
            count += 1
        }
    }

    @Test func `a query of the scheduler is evaluated on the decision loop's thread`() async throws {
        try await LoopFixture.with { fixture in
            try await fixture.run {
                let names = Mutex<[String]>([])
                let pending = await fixture.loop.read { core, _ in
                    names.withLock { $0.append(threadName()) }
                    return core.pendingCount
                }
                #expect(pending == 0)
                #expect(names.withLock { $0 } == ["decisions"])
            }
        }
    }

    @Test func `a launch that the launcher killed because of a failure of the host is no failure of its plugin`()
        async throws
    {
        try await LoopFixture.with { fixture in
            let core = fixture.core
            var launches = LaunchDirectory()
            let killed = LaunchEvent.failedByHost(Self.launch, message: "cannot receive the listener")
            let events = fixture.loop.events(of: .launch(killed), core, &launches)
            #expect(events == [.launchFailedByHost(Self.launch, message: "cannot receive the listener")])
        }
    }

    @Test func `the report of a delivered task's cursor follows in the turn of the delivery`() async throws {
        try await LoopFixture.with { fixture in
            var launches = LaunchDirectory()
            let task = try Self.continuedTask()
            launches.payloads = [task.work.number: []]
            launches.startingCursors = [
                task.work.number: TaskCursor(
                    bytes: [7],
                    version: "1.0",
                    movedAt: WallTime(nanoseconds: 1),
                    submission: SubmissionNumber(rawValue: 1),
                    standstills: 2
                )
            ]
            #expect(!fixture.loop.perform([.deliver(Self.launch, task)], &launches))
            #expect(launches.takeCursorReports() == [.cursorsRead(Self.launch, [task.id: 2])])
            #expect(launches.takeCursorReports().isEmpty)
        }
    }

    private static func continuedTask() throws -> PlannedTask {
        let request = PendingRequest(
            plugin: try #require(PluginIdentifier("com.example.feed")),
            number: SubmissionNumber(rawValue: 5),
            request: TaskRequest(
                identifier: try #require(TaskIdentifier("com.example.feed.export")),
                kind: .continued,
                continued: ContinuedTerms(title: "Exporting")
            ),
            submitter: .user,
            submittedAt: WallTime(nanoseconds: 0)
        )
        return PlannedTask(id: TaskID(launch: launch, index: 1), work: .request(request))
    }

    @Test func `inputs of the decision loop's mailbox are handled on the thread named decisions`() async throws {
        try await LoopFixture.with { fixture in
            try await fixture.run {
                let name = await withCheckedContinuation { continuation in
                    fixture.loop.mailbox.put(
                        .reading(body: { _, _ in continuation.resume(returning: threadName()) }, close: {})
                    )
                }
                #expect(name == "decisions")
            }
        }
    }

    @Test func `a query of the scheduler that the stopped decision loop does not reach ends with nil`() async throws {
        try await LoopFixture.with { fixture in
            let mayGoOn = DispatchSemaphore(value: 0)
            fixture.loop.mailbox.put(.reading(body: { _, _ in mayGoOn.wait() }, close: {}))
            fixture.loop.post(.stopRequested)
            let isDone = Mutex(false)
            fixture.loop.mailbox.put(
                .reading(
                    body: { _, _ in Issue.record("the loop has stopped") },
                    close: { isDone.withLock { $0 = true } }
                )
            )
            mayGoOn.signal()
            try await fixture.loop.run()
            #expect(isDone.withLock { $0 })
            #expect(await fixture.loop.read { _, _ in 1 } == nil)
            let plugin = try #require(PluginIdentifier("com.example.feed"))
            let answer = await fixture.loop.ask { .purgeRequested(plugin, reply: $0) }
            guard case .refused(let refusal) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(refusal.subReason == .hostStopping)
        }
    }

    @Test func `a cancelled decision loop ends, and a later query of the scheduler returns nil`() async throws {
        try await LoopFixture.with { fixture in
            let run = Task { try await fixture.loop.run() }
            #expect(await fixture.loop.read { _, _ in 1 } == 1)
            run.cancel()
            try await run.value
            #expect(await fixture.loop.read { _, _ in 1 } == nil)
        }
    }

    @Test
    func `the decision loop handles a timer after all earlier events of the launch thread, even if those come late`()
        async throws
    {
        let isHeld = Atomic(false)
        let mayGoOn = DispatchSemaphore(value: 0)
        let hold: @Sendable (LaunchEvent) -> Void = { event in
            guard case .ready = event else { return }
            isHeld.store(true, ordering: .sequentiallyConsistent)
            mayGoOn.wait()
        }
        try await LoopFixture.with(onLaunchEvent: hold) { fixture in
            let loop = fixture.loop
            loop.launcher.take(for: Self.launch)
            while !isHeld.load(ordering: .sequentiallyConsistent) { sched_yield() }
            loop.timer.set(monotonic: SystemClock().monotonic, wall: nil)
            // A timer that did not wait for the launch thread would be in the mailbox by then.
            for _ in 0..<100_000 { sched_yield() }
            mayGoOn.signal()
            guard case .launch(.ready) = loop.mailbox.take()?.input else {
                Issue.record("the timer overtook the launch thread")
                return
            }
            while let input = loop.mailbox.take()?.input { if case .timer = input { break } }
        }
    }

    @Test
    func `a launch is killed at its kill time while the decision loop hangs, and its flood of messages is limited`()
        async throws
    {
        let program = """
            #include <signal.h>
            #include <unistd.h>
            int main(void) {
                const char frame[] = {10, 0, 0, 0, 14, 0, 1, 0, 0, 0, 0, 0, 0, 0};
                for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
                for (;;) if (write(3, frame, sizeof frame) != sizeof frame) _exit(1);
            }
            """
        try await LoopFixture.with(runner: program) { fixture in
            let (loop, launch) = (fixture.loop, Self.launch)
            var launches = LaunchDirectory()
            fixture.loop.launcher.take(for: launch)
            guard case .launch(.ready) = loop.mailbox.take()?.input else {
                Issue.record("no runner")
                return
            }
            // The launcher continues until the mailbox has refused a message.
            while loop.mailbox.admitOrPause(launch) { sched_yield() }
            let time = SystemClock().monotonic + .milliseconds(20)
            #expect(!loop.perform([.setKillTime(launch, time)], &launches))
            var (messages, next) = Self.messages(in: loop.mailbox)
            guard case .launch(.killTimePassed(launch)) = next else {
                Issue.record("no kill")
                return
            }
            #expect(SystemClock().monotonic >= time)
            // Messages that the runner sent before the kill reached it.
            (_, next) = Self.messages(in: loop.mailbox)
            guard case .launch(.ended(launch, let end)) = next else {
                Issue.record("no end")
                return
            }
            #expect(end.wasKilled && messages >= InputQueue.launchCapacity)
        }
    }
}

private func threadName() -> String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return name?.trimmingCharacters(in: .newlines) ?? ""
}
