// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("An unacceptable request is refused with the code of Apple's system and a sub-reason", .proves("C14"))
struct RefusalTests {
    private static let recorder = TestPlugin("Recorder", tasks: ["refresh", "processing1", "processing2"])
    private static let disabled = TestPlugin("Obedient", policy: ["enabled: false"])
    private static var fetchOnly: TestPlugin {
        var plugin = TestPlugin("Neighbour")
        plugin.modes = ["fetch"]
        return plugin
    }
    private static var processingOnly: TestPlugin {
        var plugin = TestPlugin("ExitZero")
        plugin.modes = ["processing"]
        return plugin
    }

    @Test func `the API refuses a request with the code and the sub-reason of its cause`() async throws {
        let plugins = [Self.recorder, Self.disabled, Self.fetchOnly, Self.processingOnly]
        try await HostFixture.with(HostSetup(["processing-limit": "1"]), plugins: plugins) { host in
            let (refresh, first) = (Self.recorder.task("refresh"), Self.recorder.task("processing1"))
            let second = Self.recorder.task("processing2")
            try await host.submit(refresh, .refresh, earliestBegin: HostFixture.tomorrow)
            try await host.submit(first, earliestBegin: HostFixture.tomorrow)

            #expect(await host.refusal(of: Self.disabled.task(), .processing) == "503 unavailable plugin-disabled")
            #expect(await host.refusal(of: second, .refresh) == "409 too-many-pending refresh-limit")
            #expect(await host.refusal(of: second, .processing) == "409 too-many-pending processing-limit")
            #expect(
                await host.refusal(of: "com.example.nobody.task", .refresh)
                    == "403 not-permitted identifier-not-permitted"
            )
            #expect(
                await host.refusal(of: Self.processingOnly.task(), .refresh) == "403 not-permitted mode-fetch-missing"
            )
            #expect(
                await host.refusal(of: Self.fetchOnly.task(), .processing)
                    == "403 not-permitted mode-processing-missing"
            )
            #expect(try await host.client.tasks().pending.count == 2)
        }
    }

    @Test(.proves(26, 42)) func `a cancelled request frees its place under the pending limit for another request`()
        async throws
    {
        try await HostFixture.with(HostSetup(["processing-limit": "1"]), plugins: [Self.recorder]) { host in
            let (first, second) = (Self.recorder.task("processing1"), Self.recorder.task("processing2"))
            let submission = try await host.submit(first, earliestBegin: HostFixture.tomorrow)
            #expect(await host.refusal(of: second, .processing) == "409 too-many-pending processing-limit")
            #expect(try await host.client.cancel(host.identifier(first)).isCancelled)
            #expect(try await host.client.cancel(host.identifier(first)).isCancelled == false)
            let cancelled = try await host.waitForJournal("the cancellation") { $0.submission == submission }
            #expect(cancelled.event == "cancelled")
            try await host.submit(second, earliestBegin: HostFixture.tomorrow)
        }
    }

    @Test func `bgtask exits with 0, 1, 2 or 3 for success, refusal, misuse or no host, and explains each failure`()
        async throws
    {
        try await HostFixture.with(plugins: [Self.fetchOnly]) { host in
            let task = Self.fetchOnly.task()
            let done = try await host.bgtask("task", "submit", task, "--kind", "refresh")
            #expect(done.status == 0 && done.output.contains("submission"))

            let refused = try await host.bgtask("task", "submit", task, "--kind", "processing")
            #expect(refused.status == 1 && refused.output.isEmpty)
            #expect(refused.error.contains("not-permitted (mode-processing-missing)"))
            #expect(refused.error.contains("background-modes"))

            let misuse = try await host.bgtask("task", "submit", task, "--kind", "nonsense")
            #expect(misuse.status == 2 && misuse.error.contains("nonsense"))

            let nowhere = host.directory.file("nobody.sock")
            let unreachable = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["host", "status", "--socket", nowhere]
            )
            #expect(unreachable.status == 3)
            #expect(unreachable.error.contains(nowhere) && unreachable.error.contains("host run"))
        }
    }

    @Test func `a submission with too large a payload and bgtask why of a malformed identifier are refused`()
        async throws
    {
        try await HostFixture.with { host in
            let tooLong = [UInt8](repeating: 7, count: TaskRequest.maximumPayload + 1)
            await #expect(throws: ControlError.self) {
                try await host.submit(TestPlugin.neighbour.task(), payload: tooLong)
            }
            #expect(try await host.client.tasks().pending.isEmpty)
            let why = try await host.bgtask("why", "no..dots")
            #expect(why.status == 2 || why.status == 1)
            #expect(why.error.contains("no..dots"))
        }
    }
}

extension HostFixture {
    /// Status, code and sub-reason of the refusal of a submission; "accepted" for an accepted one, another text for any
    /// other error.
    func refusal(of task: String, _ kind: TaskKind) async -> String {
        do {
            try await submit(task, kind, earliestBegin: Self.tomorrow)
            return "accepted"
        } catch let ControlError.refused(status, reply) {
            return "\(status) \(reply.error.code) \(reply.error.subReason)"
        } catch {
            return "\(error)"
        }
    }
}
