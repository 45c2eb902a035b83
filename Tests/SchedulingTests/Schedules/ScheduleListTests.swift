// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The list of schedules has each schedule of the configuration with its state")
struct ScheduleListTests {
    private let host = SchedulerDriver(.app(modes: [.fetch]), .mail()) {
        $0.plugins[.app, default: PluginPolicy()].schedules = [
            .feed: WorkSchedule(.every(.hours(1)), kind: .refresh),
            .clean: WorkSchedule(.every(.hours(2)), kind: .processing),
            "com.example.app.feeed": WorkSchedule(.every(.hours(3)), kind: .refresh),
        ]
        $0.plugins[.mail, default: PluginPolicy()].schedules = [.sweep: WorkSchedule(.every(.hours(4)))]
        $0.plugins["com.example.gone", default: PluginPolicy()].schedules = [
            "com.example.gone.task": WorkSchedule(.every(.hours(1)))
        ]
    }

    private func listing(_ identifier: TaskIdentifier, of plugin: PluginIdentifier = .app) throws -> ScheduleListing {
        try #require(host.scheduler.listing(of: ScheduledTask(plugin: plugin, identifier: identifier)))
    }

    @Test(arguments: [1, 2, 3, 100])
    func `the pages of schedules have each schedule once, by plugin and identifier`(limit: Int) {
        var found: [String] = []
        var last: ScheduledTask?
        repeat {
            let page = host.scheduler.schedulePage(after: last, limit: limit)
            #expect(page.listings.count <= limit)
            found += page.listings.map(\.task.identifier.text)
            last = page.next
        } while last != nil && found.count < 100
        #expect(
            found == [
                "com.example.app.clean", "com.example.app.feed", "com.example.app.feeed", "com.example.gone.task",
                "com.example.mail.sweep",
            ]
        )
    }

    @Test func `the pages of one plugin's schedules have no schedule of another plugin`() {
        let page = host.scheduler.schedulePage(after: nil, limit: 100, of: .mail)
        #expect(page.listings.map(\.task.identifier) == [.sweep] && page.next == nil)
        let first = host.scheduler.schedulePage(after: nil, limit: 1, of: .app)
        #expect(first.listings.map(\.task.identifier) == [.clean])
        let rest = host.scheduler.schedulePage(after: first.next, limit: 100, of: .app)
        #expect(rest.listings.map(\.task.identifier) == [.feed, "com.example.app.feeed"] && rest.next == nil)
        #expect(host.scheduler.schedulePage(after: nil, limit: 100, of: .keyboard).listings.isEmpty)
    }

    @Test func `a schedule is idle, then pending, then running, then idle again`() throws {
        let start = host.clock.now.wall
        #expect(try listing(.feed).state == .idle && listing(.feed).next == start + .hours(1))
        #expect(try listing(.feed).rhythm == "every 1h" && listing(.feed).kind == .refresh)
        host.change(network: false)
        host.submit(.feed, as: .refresh, needsNetwork: true)
        #expect(try listing(.feed).state == .pending && listing(.feed).runningSince == nil)
        host.change(network: true)
        #expect(try listing(.feed).state == .running && listing(.feed).runningSince != nil)
        host.runToTheEnd()
        #expect(try listing(.feed).state == .idle && listing(.feed).obstacle == nil)
    }

    @Test func `a schedule that its manifest refuses, or whose plugin is missing, is blocked with the reason`() throws {
        #expect(try listing(.clean).state == .blocked && listing(.clean).obstacle == .modeMissing(.processing))
        let mistyped = try listing("com.example.app.feeed")
        #expect(mistyped.obstacle == .identifierNotPermitted("com.example.app.feeed") && mistyped.next != nil)
        let gone = try listing("com.example.gone.task", of: "com.example.gone")
        #expect(gone.state == .blocked && gone.next == nil && gone.obstacle == .pluginMissing("com.example.gone"))
    }

    @Test func `the explanation of a mistyped scheduled identifier names the schedule and the refusal`() {
        let explanation = host.explain("com.example.app.feeed")
        #expect(explanation.plugin == .app && explanation.schedule?.rhythm == "every 3h")
        #expect(explanation.reasons == [.identifierNotPermitted("com.example.app.feeed")])
        #expect(explanation.nextOccurrence == host.clock.now.wall + .hours(3))
        #expect(host.explain("com.example.app.other").plugin == nil)
    }

    @Test func `the entry about a refused occurrence names the nearest permitted identifier`() throws {
        host.advance(by: .hours(3))
        let missed = host.entries(.occurrenceMissed)
        let mistyped = try #require(missed.first { $0.label == "com.example.app.feeed" })
        #expect(mistyped.message.hasSuffix("; write \"com.example.app.feed\" if that task is meant"))
        let kind = try #require(missed.first { $0.label == "com.example.app.clean" })
        #expect(kind.message.contains("processing") && !kind.message.contains("is meant"))
    }
}
