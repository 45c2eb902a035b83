// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

@Suite("A host shows the next runs of its schedules, and what is wrong with them")
struct ScheduleTests {
    @Test func `the list of schedules is sorted by next occurrence, with last runs, last outcomes and problems`()
        async throws
    {
        var neighbour = TestPlugin("Neighbour", tasks: ["task", "two"])
        let mistyped = "\(neighbour.identifier).taks"
        neighbour.policy = [
            "schedules:", "  \(neighbour.task("task")): { every: 3d }", "  \(neighbour.task("two")): { every: 1d }",
            "  \(mistyped): { every: 2d }",
        ]
        try await HostFixture.with(plugins: [neighbour]) { host in
            let end = try await host.outcome(of: try await host.submit(neighbour.task("task")))
            #expect(end.event == "succeeded")
            let wanted = [neighbour.task("two"), mistyped, neighbour.task("task")]
            for limit in [1, 2, 3, 1_000] {
                var query = ScheduleQuery(limit: limit)
                var found: [String] = []
                repeat {
                    let page = try await host.client.schedulePage(query)
                    #expect(page.schedules.count <= limit && !page.isPartial)
                    found += page.schedules.map(\.identifier)
                    query.after = page.next.flatMap(ScheduleCursor.init(text:))
                } while query.after != nil && found.count < 10
                #expect(found == wanted, "limit \(limit)")
            }
            let list = try await host.client.schedules().schedules
            #expect(list.map(\.state) == [.idle, .blocked, .idle])
            #expect(list.allSatisfy { $0.next != nil })
            #expect(list[2].lastRun != nil && list[2].lastOutcome?.outcome == "succeeded")
            #expect(list[0].lastRun == nil && list[0].lastOutcome == nil && list[0].problem == nil)
            #expect(list[1].problem?.code == "identifier-not-permitted")
            #expect(list[1].problem?.remedy?.contains("write \"\(neighbour.task("task"))\"") == true)

            let text = try await host.bgtask("schedule", "list", "--plugin", neighbour.identifier)
            #expect(text.status == 0 && text.output.contains("every 3d") && text.output.contains("succeeded"))
            #expect(text.output.contains("plugins.\(neighbour.identifier).schedules.\(mistyped): "))
            let nobody = try await host.bgtask("schedule", "list", "--plugin", "com.example.neigbour")
            #expect(nobody.status == 1 && nobody.error.contains("write \"\(neighbour.identifier)\""))
        }
    }

    @Test func `bgtask why of a mistyped scheduled identifier explains the schedule and suggests the nearest task`()
        async throws
    {
        var neighbour = TestPlugin.neighbour
        let mistyped = "\(neighbour.identifier).tsak"
        neighbour.policy = ["schedules: { \(mistyped): { every: 1d } }"]
        try await ScratchDirectory.with { directory in
            let clock = try await ShiftedClock(in: directory)
            var setup = HostSetup()
            setup.environment = clock.environment
            try await HostFixture.with(setup, plugins: [neighbour]) { [neighbour] host in
                let why = try await host.why(mistyped)
                #expect(why.plugin == neighbour.identifier && why.schedule?.rhythm == "every 1d")
                #expect(why.codes == ["identifier-not-permitted"] && why.nextOccurrence != nil)
                let suggestion = "write \"\(neighbour.task())\" if that task is meant"
                #expect(why.reasons.first?.remedy?.contains(suggestion) == true)

                try clock.shift(by: 25 * 3600)
                // The call makes the host read the clock.
                _ = try await host.client.simulateConditions(ConditionsSimulation([.hot: .holds(false)]))
                let missed = try await host.waitForJournal("the missed occurrence") {
                    $0.event == "occurrence-missed"
                }
                #expect(missed.identifier == mistyped && missed.message.hasSuffix(suggestion), "\(missed.message)")
            }
        }
    }

    @Test func `bgtask why of a request counts its replacements and names their submitters`() async throws {
        let task = TestPlugin.neighbour.task()
        try await HostFixture.with { host in
            for _ in 1...4 { _ = try await host.submit(task, earliestBegin: HostFixture.tomorrow) }
            let why = try await host.why(task)
            let replacements = try #require(why.replacements)
            #expect(replacements.count == 3 && replacements.submitters.map(\.submitter) == ["user"])
            let text = try await host.bgtask("why", task).output
            #expect(text.contains("3 times in ") && text.contains(" by users, last "))
            _ = try await host.bgtask("task", "cancel", task)
            _ = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
            #expect(try await host.why(task).replacements == nil)
        }
    }

    @Test func `bgtask why with several reasons prints the remedy of each`() async throws {
        let task = TestPlugin.neighbour.task()
        let setup = HostSetup(["external-power": "false", "network": "false"])
        try await HostFixture.with(setup) { host in
            try await host.submit(task, requiresNetwork: true, requiresExternalPower: true)
            let why = try await host.why(task)
            #expect(why.codes == ["external-power", "network"] && why.reasons.allSatisfy { $0.remedy != nil })
            let text = try await host.bgtask("why", task).output
            for reason in why.reasons {
                let remedy = try #require(reason.remedy)
                #expect(text.contains("    remedy: \(remedy)\n"), "\(text)")
            }
        }
    }

    @Test func `bgtask schedule check needs no host`() async throws {
        let program = try BuiltProgram.command.path()
        let check = try await ProgramRun.of(program, ["schedule", "check", "mon-fri 02:30", "--zone", "UTC"])
        #expect(check.status == 0 && check.output.hasPrefix("mon,tue,wed,thu,fri 02:30 UTC\n"))
        let refused = try await ProgramRun.of(program, ["schedule", "check", "25:00"])
        #expect(refused.status == 2 && refused.error.contains("write a time such as \"02:30\""))
    }
}
