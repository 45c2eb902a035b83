// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Glibc
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Conditions change while the host runs")
struct ConditionTests {
    private static let powerless = HostSetup(["external-power": "false"])

    @Test
    func `a request blocked by external power only is launched when the power returns, even without a network`()
        async throws
    {
        try await HostFixture.with(Self.powerless) { host in
            let task = TestPlugin.neighbour.task()
            let submission = try await host.submit(task, requiresExternalPower: true)
            _ = try await host.client.simulateConditions(ConditionsSimulation([.network: .holds(false)]))
            #expect(try await host.why(task).reasons.map(\.code) == ["external-power"])

            _ = try await host.client.simulateConditions(ConditionsSimulation([.externalPower: .holds(true)]))
            #expect(try await host.outcome(of: submission).event == "succeeded")
        }
    }

    @Test(.proves("C7"))
    func `loss of external power expires the task that requires it, while a neighbour's task continues`() async throws {
        let obedient = TestPlugin("Obedient")
        let patient = TestPlugin("Patient", tasks: ["one"])
        try await HostFixture.with(plugins: [obedient, patient]) { host in
            let offPower = try await host.submit(patient.task("one"))
            let submission = try await host.submit(obedient.task(), requiresExternalPower: true)
            for plugin in [obedient, patient] { _ = try await host.launch(of: plugin) }
            try await host.waitForLog("the neighbour runs") { $0.contains("patient runs") }
            _ = try await host.client.simulateConditions(ConditionsSimulation([.externalPower: .holds(false)]))

            let end = try await host.outcome(of: submission)
            #expect([end.event, end.blame] == ["failed", "machine"])
            #expect(end.message.contains("external power lost"))
            #expect(try await host.client.tasks().running.map(\.task) == [patient.task("one")])
            try host.release(patient)
            #expect(try await host.outcome(of: offPower).event == "succeeded")
        }
    }

    @Test func `bgtask simulate conditions scripts conditions, reports their source and restores the real value`()
        async throws
    {
        try await HostFixture.with(Self.powerless) { host in
            let scripted = try await host.bgtask(
                "simulate",
                "conditions",
                "--external-power",
                "true",
                "--network",
                "false"
            )
            #expect(scripted.output.hasPrefix("external power  yes (simulated)\nnetwork         no (simulated)\n"))

            let undone = try await host.bgtask("simulate", "conditions", "--external-power", "real")
            #expect(undone.output.hasPrefix("external power  no (configuration)\nnetwork         no (simulated)\n"))
            #expect(try await host.client.host().conditions.lockedContainers == nil, "no lock is known")
            let status = try await host.bgtask("host", "status")
            #expect(status.output.contains("no (configuration)") && status.output.contains("no (simulated)"))

            let journal = try await host.wholeJournal().filter { $0.event == "conditions-simulated" }
            #expect(
                journal.map(\.message) == [
                    "changed: external-power true, network false; simulated now: external-power true, network false",
                    "changed: external-power real; simulated now: network false",
                ]
            )
            #expect(journal.allSatisfy { $0.plugin == nil && $0.user?.uid == getuid() && $0.user?.command == "bgtask" })
            let shown = try await host.bgtask("journal", "--event", "conditions-simulated")
            #expect(shown.output.contains("conditions-simulated  -       host "))

            let nothing = try await host.bgtask("simulate", "conditions")
            #expect(nothing.status == 2 && nothing.error.contains("--external-power"))
        }
    }
}
