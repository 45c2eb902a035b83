// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Every waiting request reports its reasons", .proves("C13"))
struct WaitingTests {
    private static let neighbour = TestPlugin.neighbour.task()

    @Test
    func `a waiting request reports its reasons, and a change only if that change alone would start it`()
        async throws
    {
        let recorder = TestPlugin("Recorder", tasks: ["processing1", "processing2", "processing3"])
        let setup = HostSetup(["external-power": "false", "network": "false"])
        try await HostFixture.with(setup, plugins: [recorder]) { host in
            let tasks = (1...3).map { recorder.task("processing\($0)") }
            let tomorrow = HostFixture.tomorrow
            try await host.submit(tasks[0], earliestBegin: tomorrow)
            try await host.submit(tasks[1], requiresExternalPower: true)
            try await host.submit(tasks[2], earliestBegin: tomorrow, requiresNetwork: true, requiresExternalPower: true)

            let late = try await host.why(tasks[0])
            #expect(late.codes == ["earliest-begin"] && late.change?.code == "earliest-begin")
            #expect(late.earliestPossible == .at(Timestamp(tomorrow)) && late.isEligible == false)

            let powerless = try await host.why(tasks[1])
            #expect(powerless.codes == ["external-power"] && powerless.change?.code == "external-power")
            #expect(powerless.earliestPossible == .unknown)

            let all = try await host.why(tasks[2])
            #expect(all.codes == ["earliest-begin", "external-power", "network"] && all.change == nil)

            let reported = try await host.bgtask("why", tasks[2])
            #expect(
                reported.status == 0 && reported.output.contains("network")
                    && reported.output.contains("external power")
            )
            #expect(try await host.client.host().conditions[.externalPower].holds == false)
        }
    }

    @Test func `a request whose library could not be loaded reports the missing symbol and the remedy`() async throws {
        let plugin = TestPlugin("UsesMissingFunction")
        let setup = HostSetup(["retry-delay": "1h", "spacing": "0s"])
        try await HostFixture.with(setup, plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let failure = try await host.waitForJournal("the failure") {
                $0.submission == submission && $0.event == "load-failed"
            }
            _ = try await host.end(ofLaunch: try #require(failure.launch))
            let why = try await host.why(plugin.task())
            #expect(why.codes == ["retry-delay"])
            #expect(why.reasons.first?.message.contains("the library of the plugin could not be loaded") == true)
            #expect(why.lastOutcome?.message.contains("missing_function") == true)
            #expect(why.change?.message.contains("correct the library") == true)
        }
    }

    @Test func `a task without a request reports its next occurrence, and that its plugin is disabled`() async throws {
        var plugin = TestPlugin.neighbour
        plugin.policy = ["enabled: false", "schedules: { \(plugin.task()): { every: 1d } }"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let why = try await host.why(plugin.task())
            #expect(why.state == .unknown && why.codes == ["plugin-disabled"])
            #expect(why.change?.code == "plugin-disabled" && why.nextOccurrence != nil)
            let text = try await host.bgtask("why", plugin.task()).output
            #expect(text.contains("plugin-disabled: ") && text.contains("next occurrence"))
        }
    }

    @Test func `a request that waits for a simulated condition reports the simulation and how to end it`() async throws
    {
        try await HostFixture.with(HostSetup(["external-power": "true"])) { host in
            _ = try await host.client.simulateConditions(ConditionsSimulation([.externalPower: .holds(false)]))
            try await host.submit(Self.neighbour, requiresExternalPower: true)
            let why = try await host.why(Self.neighbour)
            #expect(why.reasons.map(\.message) == ["the task needs external power, and the host sees none (simulated)"])
            #expect(why.change?.message.contains("simulate conditions --external-power real") == true)
        }
    }

    @Test func `a waiting request reports lane-busy during its plugin's launch and launch-limit without capacity`()
        async throws
    {
        let patient = TestPlugin("Patient", tasks: ["one", "two"])
        let setup = HostSetup(["background-launches": "1"])
        try await HostFixture.with(setup, plugins: [patient, .neighbour]) { host in
            let first = try await host.submit(patient.task("one"))
            try await host.waitForLog("the first runs") { $0.contains("patient runs") }
            let second = try await host.submit(patient.task("two"))
            let other = try await host.submit(Self.neighbour)
            #expect(try await host.why(patient.task("two")).codes == ["lane-busy"])
            #expect(try await host.why(Self.neighbour).codes == ["launch-limit"])
            let running = try await host.why(patient.task("one"))
            #expect(running.state == .running && running.policies == nil)
            #expect(running.isEligible == nil && running.history == nil)

            try host.release(patient)
            for submission in [first, second, other] {
                #expect(try await host.outcome(of: submission).event == "succeeded")
            }
        }
    }

    @Test func `a waiting request reports spacing after a launch and retry-delay after a crash`() async throws {
        let crashing = TestPlugin("CrashInHandler")
        let setup = HostSetup(["spacing": "1h", "retry-delay": "2h"])
        try await HostFixture.with(setup, plugins: [.neighbour, crashing]) { host in
            let first = try await host.outcome(of: try await host.submit(Self.neighbour))
            _ = try await host.end(ofLaunch: try #require(first.launch))
            try await host.submit(Self.neighbour)
            let spaced = try await host.why(Self.neighbour)
            #expect(spaced.codes == ["spacing"] && spaced.lastOutcome?.outcome == "succeeded")

            let crash = try await host.outcome(of: try await host.submit(crashing.task()))
            _ = try await host.end(ofLaunch: try #require(crash.launch))
            let delayed = try await host.why(crashing.task())
            #expect(delayed.codes.contains("retry-delay") && delayed.lastOutcome?.outcome == "crashed")
            #expect(try await host.client.tasks().pending.first { $0.identifier == crashing.task() }?.attempts == 1)
        }
    }

    @Test(.proves("C17"))
    func `a waiting request reports that its manifest is gone or lacks the request's mode or identifier`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try await host.submit(Self.neighbour, earliestBegin: HostFixture.tomorrow)

            var changed = TestPlugin.neighbour
            changed.modes = ["fetch"]
            try await host.change(to: changed)
            #expect(try await host.why(Self.neighbour).codes.first == "mode-missing")

            changed = .neighbour
            changed.tasks = ["another"]
            try await host.change(to: changed)
            #expect(try await host.why(Self.neighbour).codes.first == "identifier-not-permitted")

            let end = try await host.journalEnd()
            try host.directory.remove(changed.manifestFile)
            try await host.waitForJournal("its removal", after: end) { $0.event == "plugin-removed" }
            let gone = try await host.why(Self.neighbour)
            #expect(gone.codes.first == "plugin-missing" && gone.plugin == TestPlugin.neighbour.identifier)
        }
    }

    @Test func `a waiting request of a plugin that the operator disabled reports plugin-disabled`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try await host.submit(Self.neighbour, earliestBegin: HostFixture.tomorrow)
            try await host.stop()
            host.setPolicy(["enabled: false"], of: .neighbour)
            try await host.restart()
            #expect(try await host.why(Self.neighbour).codes.first == "plugin-disabled")
            #expect(try await host.client.plugins().plugins.map(\.state) == [.disabled])
        }
    }

    @Test func `a waiting request reports runner-unavailable with the cause if its container cannot be made`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try host.directory.remove("state/containers")
            try host.directory.write([], to: "state/containers")
            let submission = try await host.submit(Self.neighbour)
            try await host.waitForLog("the failure") { $0.contains("launch not started") }
            // During a repeated attempt the request has another reason.
            let why = try await withDeadline(waitingFor: "the reason") {
                while true {
                    let why = try await host.why(Self.neighbour)
                    if why.codes == ["runner-unavailable"] { return why }
                }
            }
            #expect(why.reasons[0].message.contains("containers") == true)

            try host.directory.remove("state/containers")
            try host.directory.makeDirectory("state/containers")
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded")
        }
    }
}

extension TaskWhyReply {
    var codes: [String] { reasons.map(\.code) }
}
