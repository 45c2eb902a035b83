// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

@Suite("A host forecasts its launches, and nothing happens")
struct ForecastTests {
    private static let powerless = HostSetup(["external-power": "false", "idle": "true"])

    @Test func `a forecast under external power begins the waiting task, and the host keeps waiting`() async throws {
        try await HostFixture.with(Self.powerless) { host in
            let task = TestPlugin.neighbour.task()
            let submission = try await host.submit(task, requiresExternalPower: true)
            let before = try await host.wholeJournal().filter { $0.submission == submission }.map(\.event)

            let present = try await host.client.forecast(ForecastOrder())
            #expect(present.isComplete && present.cut == nil)
            #expect(present.launches.flatMap(\.tasks).allSatisfy { $0.submission != submission })
            let wait = try #require(present.waiting.first { $0.submission == submission })
            #expect(wait.identifier == task && wait.reason?.code == "external-power" && wait.reasonCount == 1)
            #expect(present.conditions[.externalPower].source == .configuration)

            let simulation = ConditionsSimulation([.externalPower: .holds(true)])
            let other = try await host.client.forecast(ForecastOrder(conditions: simulation))
            let launch = try #require(other.launches.first { $0.tasks.contains { $0.submission == submission } })
            #expect(launch.launch == nil && launch.plugin == TestPlugin.neighbour.identifier)
            #expect(launch.tasks.first?.origin == "pending" && launch.endsAt != nil)
            #expect(other.conditions[.externalPower].source == .simulated)

            #expect(try await host.why(task).reasons.map(\.code) == ["external-power"])
            let after = try await host.wholeJournal().filter { $0.submission == submission }.map(\.event)
            #expect(after == before)
            #expect(try await host.client.host().conditions[.externalPower].source == .configuration)

            _ = try await host.client.simulateConditions(simulation)
            #expect(try await host.outcome(of: submission).event == "succeeded")
        }
    }

    @Test func `a forecast has the future launches of schedules, and bgtask simulate forecast prints them`()
        async throws
    {
        var neighbour = TestPlugin("Neighbour", tasks: ["task"])
        neighbour.policy = ["schedules: { \(neighbour.task("task")): { every: 1h } }"]
        try await HostFixture.with(Self.powerless, plugins: [neighbour]) { host in
            // The begin of the schedule is on disk before this outcome.
            try await host.started(neighbour)
            let next = try #require(try await host.client.schedules().schedules.first?.next)
            let forecast = try await host.client.forecast(ForecastOrder())
            let launches = forecast.launches.filter { $0.tasks.contains { $0.origin == "schedule" } }
            #expect(launches.first?.beginsAt == next)
            #expect(launches.count >= 23 && launches.count <= 24)
            #expect(launches.allSatisfy { $0.tasks.allSatisfy { $0.submission == nil } })

            let text = try await host.bgtask("simulate", "forecast", "--plugin", neighbour.identifier, "--until", "+3h")
            #expect(text.status == 0 && text.output.contains("\(neighbour.task("task")) (schedule)"))
            #expect(text.output.contains("assumptions:"))
            let off = try await host.bgtask("simulate", "forecast", "--off", "idleness")
            #expect(off.status != 0 && off.error.contains("idle"))
        }
    }
}
