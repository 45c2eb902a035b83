// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Lists are returned in bounded pages")
struct PageTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    private func pages(of limit: Int, _ filter: WorkFilter = WorkFilter()) -> [[String]] {
        var pages: [[String]] = []
        var cursor: WorkCursor?
        repeat {
            let page = host.scheduler.waitingPage(after: cursor, limit: limit, matching: filter, at: host.clock.now)
            pages.append(page.items.map(\.work.label))
            cursor = page.next
        } while cursor != nil && pages.count < 100
        return pages
    }

    private func submitSamples() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.submit(.vacuum, after: .hours(1))
        host.submit(.inbox, as: .refresh, after: .hours(1), by: .plugin(.mail))
        host.submit(.feed, as: .refresh, after: .hours(1))
    }

    private static let byPluginThenNumber = [
        "com.example.app.vacuum", "com.example.app.feed", "com.example.mail.sweep", "com.example.mail.inbox",
    ]

    @Test func `the pages of waiting work are ordered by plugin identifier, then by submission number`() {
        submitSamples()
        let all = Self.byPluginThenNumber
        #expect(pages(of: 10) == [all])
        #expect(pages(of: 4) == [all])
        #expect(pages(of: 3) == [Array(all.prefix(3)), [all[3]]])
        #expect(pages(of: 1) == all.map { [$0] })
    }

    @Test func `a page of waiting work lists a plugin's requests by number, before the events of its extension`() {
        host.change(busy: true)
        host.submit(.vacuum, after: .hours(1))
        // The first event of the extension occupies its lane, so that the second one waits.
        host.trigger()
        host.trigger()
        host.submit(.clean, after: .hours(1), by: .plugin(.keyboard))
        #expect(pages(of: 1) == [["com.example.app.vacuum"], ["com.example.app.clean"], ["trigger"]])
    }

    @Test func `a filter limits a page of waiting work to one plugin, to some kinds, or to both`() {
        submitSamples()
        #expect(pages(of: 9, WorkFilter(plugin: .mail)) == [Array(Self.byPluginThenNumber.suffix(2))])
        let refreshes = ["com.example.app.feed", "com.example.mail.inbox"]
        #expect(pages(of: 9, WorkFilter(kinds: [.refresh])) == [refreshes])
        #expect(pages(of: 1, WorkFilter(plugin: .mail, kinds: [.refresh, .event])) == [["com.example.mail.inbox"]])
        #expect(pages(of: 9, WorkFilter(plugin: "com.example.stranger")) == [[]])
    }

    @Test func `a page of waiting work without a match ends after a bounded scan, with a cursor to continue`() throws {
        let host = SchedulerDriver(.app(), configure: { $0.limits.processing = 1_000 })
        let permitted = (1...600).map { PermittedIdentifier.exact(.job($0)) }
        host.install(.app(permitted: permitted))
        for number in 1...600 { host.submit(.job(number), after: .hours(1)) }
        var cursor: WorkCursor?
        var pages = 0
        repeat {
            let page = host.scheduler.waitingPage(
                after: cursor,
                limit: 10,
                matching: WorkFilter(kinds: [.refresh]),
                at: host.clock.now
            )
            #expect(page.items.isEmpty)
            if let next = page.next { #expect(cursor.map { $0 < next } ?? true) }
            cursor = page.next
            pages += 1
        } while cursor != nil && pages < 100
        // Each page examines the plugin and 41 requests.
        #expect(pages == 15)
    }

    @Test func `a page of waiting work continues after a cursor whose request is gone`() throws {
        submitSamples()
        let first = host.scheduler.waitingPage(after: nil, limit: 2, at: host.clock.now)
        let cursor = try #require(first.next)
        host.cancel(.feed)
        host.cancel(.sweep, of: .mail)
        let second = host.scheduler.waitingPage(after: cursor, limit: 2, at: host.clock.now)
        #expect(second.items.map(\.work.label) == ["com.example.mail.inbox"] && second.next == nil)
    }

    @Test func `the reasons in a page of waiting work equal the reasons of each request's explanation`() throws {
        submitSamples()
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        let page = host.scheduler.waitingPage(after: nil, limit: 100, at: host.clock.now)
        #expect(page.items.count == 5)
        for item in page.items {
            let identifier = try #require(item.work.identifier)
            #expect(item.reasons == host.reasons(identifier) && !item.reasons.isEmpty, "\(identifier)")
        }
        #expect(!page.isPartial)
    }

    @Test(.proves("C3")) func `an interrupted task is listed as being recorded while its requeueing is committed`() {
        host.submit(.clean)
        host.submit(.vacuum, after: .hours(1))
        host.enter()
        host.commits = .held
        host.crash()
        #expect(host.running.isEmpty && host.pending == [.vacuum])
        #expect(pages(of: 1) == [["com.example.app.clean"], ["com.example.app.vacuum"]])
        #expect(pages(of: 9) == [["com.example.app.clean", "com.example.app.vacuum"]])
        #expect(host.reasons(.clean).contains(.beingRecorded))
        #expect(host.scheduler.summary(of: .app)?.pendingCount == 2)
        #expect(host.scheduler.summary(of: .app)?.pendingByLimit == [.processing: 2])
        host.writeHeldCommits()
        #expect(host.scheduler.summary(of: .app)?.pendingCount == 2)
        #expect(pages(of: 9) == [["com.example.app.clean", "com.example.app.vacuum"]])
        #expect(!host.reasons(.clean).contains(.beingRecorded))
    }

    @Test(.proves("C3")) func `an interrupted trigger is listed as being recorded while its requeueing is committed`() {
        host.trigger()
        host.enter()
        host.commits = .held
        host.crash()
        let page = host.scheduler.waitingPage(after: nil, limit: 9, at: host.clock.now)
        #expect(page.items.map(\.work.label) == ["trigger"])
        #expect(page.items.allSatisfy { $0.reasons.contains(.beingRecorded) })
        #expect(host.scheduler.summary(of: .keyboard)?.eventCount == 1)
        host.writeHeldCommits()
        #expect(pages(of: 9) == [["trigger"]])
        #expect(host.scheduler.summary(of: .keyboard)?.eventCount == 1)
    }

    @Test(.proves("C3")) func `an interrupted task is not listed beside the newer pending request that supersedes it`()
    {
        host.submit(.clean)
        host.enter()
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.crash()
        #expect(pages(of: 9) == [["com.example.app.clean"]])
    }

    @Test func `the pages of plugins are ordered by identifier and omit removed plugins`() throws {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        #expect(host.scheduler.installedCount == 3)
        let first = host.scheduler.pluginPage(after: nil, limit: 2)
        #expect(first.plugins.map(\.entry.identifier) == [.app, .keyboard] && first.next == .keyboard)
        let second = host.scheduler.pluginPage(after: first.next, limit: 2)
        #expect(second.plugins.map(\.entry.identifier) == [.mail] && second.next == nil && !second.isPartial)
        host.remove(.mail)
        #expect(host.scheduler.pluginPage(after: .keyboard, limit: 2).plugins.isEmpty)
        #expect(host.scheduler.summary(of: .mail) == nil && host.scheduler.installedCount == 2)
    }

    @Test
    func `a plugin's summary counts its pending requests per limit, its waiting events and its running tasks`() throws {
        host.submit(.feed, as: .refresh, after: .hours(1))
        host.submit(.clean, after: .hours(1))
        host.submit(.vacuum)
        host.trigger()
        host.trigger()
        let app = try #require(host.scheduler.summary(of: .app))
        #expect(app.pendingByLimit == [.refresh: 1, .processing: 1] && app.pendingCount == 2)
        #expect(app.runningCount == 1 && app.hasLaunch && app.eventCount == 0)
        let keyboard = try #require(host.scheduler.summary(of: .keyboard))
        #expect(keyboard.eventCount == 1 && host.scheduler.waitingEventCount == 1)
        #expect(keyboard.pendingCount == 0 && keyboard.pendingByLimit.isEmpty && keyboard.hasLaunch)
    }

    @Test func `a page of waiting work examines at most 32 more plugins and requests than its limit`() throws {
        let host = SchedulerDriver(.app(), configure: { $0.limits.processing = 1_000 })
        host.install(.app(permitted: (1...600).map { .exact(.job($0)) }))
        for number in 1...600 { host.submit(.job(number), after: .hours(1)) }
        let first = try #require(host.scheduler.pendingRequests.first?.number.rawValue)
        let page = host.scheduler.waitingPage(
            after: nil,
            limit: 10,
            matching: WorkFilter(kinds: [.refresh]),
            at: host.clock.now
        )
        // The plugin itself is one of the 42 examined items.
        #expect(page.next == WorkCursor(plugin: .app, number: SubmissionNumber(rawValue: first + 40)))
    }
}
