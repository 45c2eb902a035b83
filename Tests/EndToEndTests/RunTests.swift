// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("An operator runs a task and waits for its outcome, and retries a failed one")
struct RunTests {
    /// A plugin with a function that fails, and one that succeeds and writes its payload to a file.
    private static var plain: TestPlugin {
        var plugin = TestPlugin("Plain", tasks: ["fail", "greet"])
        plugin.handlers = [
            "fail": "symbol: plain_fail, arguments: [], returns: { int32: success-when-zero }",
            "greet": FunctionBindingTests.greet,
        ]
        plugin.settings = ["greeting": "Hello"]
        return plugin
    }

    @Test(.proves(89))
    func `run --wait submits a request, prints its outcome and exits with its status`() async throws {
        let plugin = Self.plain
        try await HostFixture.with(HostSetup(["spacing": "0s"]), plugins: [plugin]) { host in
            let greet = try await host.bgtask("run", plugin.task("greet"), "--kind", "processing", "--wait")
            #expect(greet.status == 0 && greet.output.contains(": succeeded in launch"), "\(greet)")
            let fail = try await host.bgtask("run", plugin.task("fail"), "--kind", "processing", "--wait")
            #expect(fail.status == 10 && fail.output.contains(": failed in launch"), "\(fail)")
            let late = try await host.bgtask(
                "run",
                plugin.task("greet"),
                "--wait",
                "--timeout",
                "1ms",
                "--payload",
                "/dev/null"
            )
            #expect([0, 124].contains(late.status), "\(late)")
        }
    }

    @Test func `run --wait prints the output of the task`() async throws {
        let plugin = TestPlugin("PrintsOutput")
        try await HostFixture.with(plugins: [plugin]) { host in
            let run = try await host.bgtask("run", plugin.task(), "--kind", "processing", "--wait")
            #expect(run.output.contains("LEVEL") && run.output.contains("stdout"), "\(run)")
        }
    }

    @Test(.proves(89))
    func `run for a busy plugin reports the request that it submitted and its reason, and --wait waits for its end`()
        async throws
    {
        let patient = TestPlugin("Patient", tasks: ["one", "two"])
        try await HostFixture.with(plugins: [patient]) { host in
            try await host.started(patient)
            try await host.submit(patient.task("one"))
            try await host.waitForLog("that it runs") { $0.contains("patient runs \(patient.task("one"))") }
            let run = try await host.bgtask("run", patient.task("two"), "--kind", "processing")
            #expect(run.status == 0 && run.output.contains("lane-busy"), "\(run)")
            let pending = try await host.client.tasks().pending.map(\.identifier)
            #expect(pending == [patient.task("two")])
            let waiter = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["run", patient.task("two"), "--wait", "--socket", host.socket]
            )
            try await waiter.outputLine("the reason") { $0.contains("lane-busy") }
            try host.release(patient)
            #expect(try await waiter.ending() == .exited(0))
        }
    }

    @Test
    func `task retry submits a failed request again with its payload, and refuses every other one`() async throws {
        let plugin = Self.plain
        try await HostFixture.with(HostSetup(["spacing": "0s"]), plugins: [plugin]) { host in
            let (fail, greet) = (plugin.task("fail"), plugin.task("greet"))
            let nothing = try await host.bgtask("task", "retry", fail)
            #expect(nothing.status == 1 && nothing.error.contains("no ended request"), "\(nothing)")

            let first = try await host.submit(fail, payload: [7, 8])
            _ = try await host.end(ofLaunch: try #require(try await host.outcome(of: first).launch))
            try await host.stop()
            try await host.restart()
            let retried = try await host.client.retry("\(first)")
            #expect(retried.submission > first && retried.identifier == fail)
            let end = try await host.outcome(of: retried.submission)
            _ = try await host.end(ofLaunch: try #require(end.launch))
            let older = try await host.bgtask("task", "retry", "\(first)")
            #expect(older.status == 1 && older.error.contains("is not the last one"), "\(older)")

            try await host.submit(fail, earliestBegin: HostFixture.tomorrow)
            let pending = try await host.bgtask("task", "retry", fail)
            #expect(pending.status == 1 && pending.error.contains("has a pending request"), "\(pending)")

            let good = try await host.submit(greet)
            _ = try await host.end(ofLaunch: try #require(try await host.outcome(of: good).launch))
            let succeeded = try await host.bgtask("task", "retry", greet)
            #expect(succeeded.status == 1 && succeeded.error.contains("ended as succeeded"), "\(succeeded)")
        }
    }
}
