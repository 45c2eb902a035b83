// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@testable import Commands

@Suite("Alerts are selected from the journal, limited per plugin, and queued until they are delivered")
struct AlertTests {
    private let rules = AlertProgress.Rules(interval: .seconds(900), host: "/run/bgtask/control.sock")

    private func line(
        _ number: Int64,
        _ event: JournalEntry.Event,
        _ blame: Blame = .plugin,
        of plugin: String = "com.example.feed",
        launch: Int64 = 41
    ) throws -> JournalLine {
        let entry = JournalEntry(
            at: Samples.now,
            event: event,
            plugin: PluginIdentifier(plugin),
            launch: LaunchNumber(rawValue: launch),
            label: plugin + ".refresh",
            submission: SubmissionNumber(rawValue: number),
            blame: blame,
            message: "it ended as \(event.name)"
        )
        return JournalLine(number: number, entry)
    }

    private func alert(_ number: Int64, of plugin: String = "com.example.feed") throws -> Alert {
        Alert(.failed, about: try line(number, .task(.failed), of: plugin))
    }

    private func message(_ number: Int64) throws -> AlertMessage {
        let alert = try alert(number)
        return AlertMessage([alert], count: 1, newest: alert, host: "h")
    }

    // MARK: Selection

    @Test(arguments: [
        (JournalEntry.Event.task(.abandoned), Blame.machine, AlertKind.abandoned),
        (.task(.failed), .plugin, .failed), (.consumed, .unknown, .failed), (.task(.expired), .plugin, .overstayed),
        (.launch(.overran), .plugin, .overstayed), (.pluginRefused, .nobody, .refused),
        (.provenanceRefused, .nobody, .refused), (.occurrenceMissed, .user, .occurrenceMissed),
    ])
    func `a lasting failure is an alert`(event: JournalEntry.Event, blame: Blame, kind: AlertKind) throws {
        var memory = AlertSelection.Memory()
        let alert = try #require(AlertSelection().alert(of: try line(7, event, blame), &memory))
        #expect(alert.alert == kind && alert.event == event.name && alert.number == 7)
        #expect(alert.remedy == kind.remedy(launch: alert.launch) && alert.plugin == "com.example.feed")
    }

    @Test(arguments: [
        (JournalEntry.Event.task(.succeeded), Blame.nobody), (.task(.crashed), .plugin), (.launch(.crashed), .plugin),
        (.task(.failed), .user), (.task(.failed), .machine), (.task(.abandoned), .user), (.task(.interrupted), .host),
    ])
    func `no alert follows from a success, a requeued task, or the blame user or machine`(
        event: JournalEntry.Event,
        blame: Blame
    ) throws {
        var memory = AlertSelection.Memory()
        #expect(AlertSelection().alert(of: try line(7, event, blame), &memory) == nil)
    }

    @Test func `a launch whose task overran causes one alert, and a launch whose assertion overran another`() throws {
        var memory = AlertSelection.Memory()
        let selection = AlertSelection()
        #expect(selection.alert(of: try line(1, .task(.overran)), &memory) != nil)
        #expect(selection.alert(of: try line(2, .launch(.overran)), &memory) == nil)
        #expect(selection.alert(of: try line(3, .launch(.overran), launch: 42), &memory) != nil)
    }

    @Test func `plugins and kinds restrict the selection; chosen plugins exclude no alert about the host`() throws {
        let feed = try #require(PluginIdentifier("com.example.feed"))
        let selection = AlertSelection(plugins: [feed], kinds: [.failed, .ledgerFailing])
        var memory = AlertSelection.Memory()
        #expect(selection.alert(of: try line(1, .task(.failed)), &memory) != nil)
        #expect(selection.alert(of: try line(2, .task(.failed), of: "com.example.other"), &memory) == nil)
        #expect(selection.alert(of: try line(3, .task(.abandoned)), &memory) == nil)
        let failing = Samples.host(ledger: .failing(since: Samples.now, error: "no space left"))
        let alerts = selection.alerts(of: failing, at: Samples.now, &memory)
        #expect(alerts.map(\.alert) == [.ledgerFailing])
        #expect(alerts.map(\.message) == ["no space left"])
    }

    @Test func `a state of the host causes one alert until it ends`() {
        var memory = AlertSelection.Memory()
        let failing = Samples.host(ledger: .failing(since: Samples.now, error: "no space left"))
        var counts: [Int] = []
        for host in [failing, failing, Samples.host(), failing] {
            counts.append(AlertSelection().alerts(of: host, at: Samples.now, &memory).count)
        }
        #expect(counts == [1, 0, 0, 1])
    }

    // MARK: Limit

    @Test func `the first alert of a plugin is passed on at once, later ones together at the end of the interval`()
        throws
    {
        var limiter = AlertLimiter()
        let interval = Duration.seconds(900)
        let start = Samples.now
        #expect(limiter.add(try alert(1), every: interval, at: start)?.count == 1)
        for number in 2...40 as ClosedRange<Int64> {
            #expect(limiter.add(try alert(number), every: interval, at: start + .seconds(Int(number))) == nil)
        }
        #expect(limiter.add(try alert(50, of: "com.example.other"), every: interval, at: start)?.count == 1)
        #expect(limiter.next == start + interval)
        #expect(limiter.collect(every: interval, at: start + .seconds(899)).isEmpty)
        let groups = limiter.collect(every: interval, at: start + interval)
        #expect(groups.map(\.count) == [39])
        #expect(groups.first?.alerts.compactMap(\.number) == Array(21...40 as ClosedRange<Int64>))
        // The collected message begins an interval; one without alerts ends it.
        #expect(limiter.next == start + interval * 2)
        #expect(limiter.collect(every: interval, at: start + interval * 2).isEmpty)
        #expect(limiter.next == nil)
        #expect(limiter.add(try alert(60), every: interval, at: start + interval * 2)?.count == 1)
    }

    @Test func `a clock that is set back delays a collected alert by at most one interval`() throws {
        var limiter = AlertLimiter()
        let ahead = Samples.now + .seconds(86_400)
        _ = limiter.add(try alert(1), every: .seconds(60), at: ahead)
        _ = limiter.add(try alert(2), every: .seconds(60), at: ahead)
        #expect(limiter.collect(every: .seconds(60), at: Samples.now).isEmpty)
        #expect(limiter.collect(every: .seconds(60), at: Samples.now + .seconds(60)).map(\.count) == [1])
    }

    // MARK: Queue

    @Test func `a failed delivery is repeated after a delay that doubles up to five minutes`() throws {
        var queue = DeliveryQueue()
        let message = try message(1)
        #expect(queue.add(message) == nil)
        var now = Samples.now
        var delays: [Duration] = []
        for _ in 0..<12 {
            #expect(queue.due(at: now) == message)
            _ = queue.settle(message, .failed("no answer"), at: now)
            #expect(queue.due(at: now) == nil)
            let next = try #require(queue.next)
            delays.append(next - now)
            now = next
        }
        #expect(delays.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(delays.last == .seconds(300))
        #expect(queue.settle(message, .delivered, at: now) == nil)
        #expect(queue.isEmpty)
    }

    @Test func `a refused message and the oldest of too many messages are dropped with a remark`() throws {
        var queue = DeliveryQueue()
        let first = try message(0)
        for number in 0..<Int64(DeliveryQueue.most) { #expect(queue.add(try message(number)) == nil) }
        #expect(queue.add(try message(500)) == "dropped failed of com.example.feed: 100 newer messages wait")
        // The displaced message was being delivered.
        #expect(queue.settle(first, .delivered, at: Samples.now) == nil)
        let second = try #require(queue.due(at: Samples.now))
        #expect(second == (try message(1)))
        #expect(queue.settle(second, .refused("status 404"), at: Samples.now)?.contains("status 404") == true)
        #expect(queue.due(at: Samples.now) == (try message(2)))
    }

    @Test func `a message is dropped after its last attempt`() throws {
        var queue = DeliveryQueue()
        let message = try message(1)
        _ = queue.add(message)
        let remarks = (0..<DeliveryQueue.attempts).map { _ in queue.settle(message, .failed("x"), at: Samples.now) }
        #expect(remarks.first??.contains("it is repeated") == true)
        #expect(remarks.last??.contains("dropped failed of com.example.feed after 50 attempts") == true)
        #expect(queue.isEmpty)
    }

    // MARK: Progress

    @Test func `entries after the handled one are taken once, also after the state file was read again`() throws {
        var progress = AlertProgress()
        progress.begin(newest: 9)
        #expect(progress.take(try line(9, .task(.failed)), by: rules, at: Samples.now).isEmpty)
        #expect(progress.queue.isEmpty)
        _ = progress.take(try line(10, .task(.failed)), by: rules, at: Samples.now)
        let stored = try WireCoding.decode(AlertProgress.self, from: try WireCoding.encode(progress))
        #expect(stored == progress && stored.number == 10)
        progress = stored
        progress.begin(newest: 12)
        #expect(progress.number == 10)
        _ = progress.take(try line(10, .task(.failed)), by: rules, at: Samples.now)
        let message = try #require(progress.queue.due(at: Samples.now))
        _ = progress.settle(message, .delivered, at: Samples.now)
        #expect(progress.queue.isEmpty)
    }

    @Test func `a journal that ends before the handled entry is another one, and all its entries are handled`() throws {
        var progress = AlertProgress()
        progress.begin(newest: 900)
        progress.begin(newest: 3)
        #expect(progress.number == 0)
        _ = progress.take(try line(1, .task(.failed)), by: rules, at: Samples.now)
        #expect(!progress.queue.isEmpty)
    }

    @Test func `a message has the text, the number of alerts and the variables of a command`() throws {
        let alerts = try (1...3 as ClosedRange<Int64>).map { try alert($0) }
        let message = AlertMessage(alerts, count: 24, newest: try #require(alerts.last), host: "/run/control.sock")
        #expect(message.text == "failed: com.example.feed.refresh: it ended as failed (24 alerts)")
        #expect(message.environment["BGTASK_PLUGIN"] == "com.example.feed")
        #expect(message.environment["BGTASK_TASK"] == "com.example.feed.refresh")
        #expect(message.environment["BGTASK_EVENT"] == "failed")
        #expect(message.environment["BGTASK_COUNT"] == "24")
        let json = try JSONValue(parsing: try WireCoding.encode(message))
        #expect(json["newest"]["blame"] == .string("plugin"))
        #expect(json["newest"]["at"] == .string("2026-01-31T01:48:00Z"))
        #expect(json["alerts"].elements.count == 3)
    }

    @Test(arguments: [(200, true), (204, true), (503, nil), (429, nil), (404, false), (302, false)])
    func `the status of a webhook decides whether a post is repeated`(status: Int, isDelivered: Bool?) {
        let outcome = AlertTarget.outcome(of: .status(status), at: "https://example.com/hook")
        switch outcome {
        case .delivered: #expect(isDelivered == true)
        case .refused(let cause): #expect(isDelivered == false && cause.contains("\(status)"))
        case .failed(let cause): #expect(isDelivered == nil && cause.contains("\(status)"))
        }
    }
}
