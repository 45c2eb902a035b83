// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The feed of notifications has each alert once, and the alarms of the host", .proves(86, "C23"))
struct NotificationTests {
    private let now = WallTime(nanoseconds: 5_000)

    private func alert(_ number: Int64, topic: String? = nil) -> PendingAlert {
        PendingAlert(
            number: SubmissionNumber(rawValue: number),
            plugin: feed,
            topic: topic.flatMap(NotificationTopic.init),
            original: NotificationContent(title: "Original \(number)", body: "text"),
            acceptedAt: now
        )
    }

    private func event(_ number: Int64) -> PendingEvent {
        PendingEvent(plugin: feed, number: SubmissionNumber(rawValue: number), type: .notification, createdAt: now)
    }

    private func titles(_ ledger: Ledger) throws -> [String] {
        try ledger.notifications(after: nil, limit: 100).map(\.content.title)
    }

    @Test func `a stored alert is shown once, with its original or its changed content`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeAlert(alert(3, topic: "mail")), .storeEvent(event(3), payload: [1]), .storeAlert(alert(4)),
        ])
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().alerts == [alert(3, topic: "mail"), alert(4)])
        #expect(try ledger.snapshot().lastSubmission == SubmissionNumber(rawValue: 4))
        let changed = NotificationContent(title: "Changed", subtitle: "Ann")
        let three = SubmissionNumber(rawValue: 3)
        try await ledger.commitAndWait([.showAlert(three, changed, at: now)])
        try await ledger.commitAndWait([
            .showAlert(three, nil, at: now), .showAlert(SubmissionNumber(rawValue: 4), nil, at: now),
        ])
        let shown = try ledger.notifications(after: nil, limit: 10)
        #expect(shown.map(\.content) == [changed, alert(4).original] && shown.map(\.isChanged) == [true, false])
        #expect(shown.map(\.topic) == ["mail", nil] && shown.map(\.plugin) == [feed.text, feed.text])
        #expect(try ledger.snapshot().alerts.isEmpty && ledger.work(of: feed).events.isEmpty)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `a snapshot leaves out an unreadable alert, whose row errors and an inspection name`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeAlert(alert(3)), .storeAlert(alert(4)), .storeAlert(alert(5))])
        try ledger.close()
        try directory.tamper("UPDATE alert SET plugin = 'no..dots' WHERE number = 4")
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().alerts == [alert(3), alert(5)])
        let errors = try ledger.alertErrors()
        let finding = "table alert, number 4: plugin holds \"no..dots\""
        #expect(errors.count == 1 && errors.first?.code == .unreadable)
        #expect(errors.first?.message.contains(finding) == true)
        try ledger.close()
        let problems = LedgerInspection(path: directory.path).problems
        #expect(problems.count == 1 && problems.first?.contains(finding) == true)
    }

    @Test func `a missing column of alerts fails the snapshot`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeAlert(alert(3))])
        try ledger.close()
        try directory.tamper("ALTER TABLE alert DROP COLUMN subtitle")
        ledger = try Ledger.open(path: directory.path)
        #expect(throws: LedgerError.self) { try ledger.snapshot() }
        try ledger.close()
    }

    @Test func `a journal entry about a lasting failure shows an alarm in the same transaction`() async throws {
        let ledger = try Ledger.inMemory()
        func entry(_ event: JournalEntry.Event, _ blame: Blame) -> LedgerChange {
            .journal(
                JournalEntry(at: now, event: event, plugin: feed, blame: blame, message: "message of \(event.name)")
            )
        }
        try await ledger.commitAndWait([
            entry(.task(.abandoned), .plugin), entry(.task(.abandoned), .user), entry(.submitted, .nobody),
            entry(.pluginRefused, .plugin), entry(.diskLow, .machine),
        ])
        let shown = try ledger.notifications(after: nil, limit: 10)
        #expect(shown.map(\.alarm) == ["abandoned", "refused", "disk-low"])
        #expect(shown.map(\.event) == ["abandoned", "plugin-refused", "disk-low"])
        #expect(shown.first?.content.body == "message of abandoned")
    }

    @Test func `alerts delete no alarm, and further alarms delete the oldest ones`() async throws {
        let ledger = try Ledger.inMemory()
        func alarm(_ number: Int64) -> LedgerChange {
            .journal(
                JournalEntry(at: time(number), event: .diskLow, plugin: nil, blame: .machine, message: "\(number)")
            )
        }
        func alert(_ number: Int) -> LedgerChange {
            .showNotification(
                ShownNotification(
                    at: now,
                    plugin: feed,
                    topic: nil,
                    submission: SubmissionNumber(rawValue: Int64(number)),
                    content: NotificationContent(title: "\(number)")
                )
            )
        }
        try await ledger.commitAndWait([alarm(1), alarm(2)])
        for start in stride(from: 1, through: 2_500, by: 500) {
            try await ledger.commitAndWait((start..<start + 500).map(alert))
        }
        let kept = try ledger.notifications(after: nil, limit: 3)
        #expect(kept.map(\.number.rawValue) == [1, 2, 503])
        #expect(try ledger.notificationRange()?.lowerBound.rawValue == 503)
        for start in stride(from: Int64(1), through: 1_999, by: 500) {
            try await ledger.commitAndWait((start..<min(start + 500, 2_000)).map(alarm))
        }
        let alarms = try ledger.notifications(after: nil, limit: 9_999).filter { $0.alarm != nil }
        #expect(alarms.count == 2_000 && alarms.first?.number.rawValue == 2)
    }

    @Test func `the feed keeps its newest notifications, whose numbers are never reused`() async throws {
        let ledger = try Ledger.inMemory()
        for start in stride(from: 1, through: 2_500, by: 500) {
            try await ledger.commitAndWait(
                (start..<start + 500).map { number in
                    .showNotification(
                        ShownNotification(
                            at: now,
                            plugin: feed,
                            topic: nil,
                            submission: SubmissionNumber(rawValue: Int64(number)),
                            content: NotificationContent(title: "\(number)")
                        )
                    )
                }
            )
        }
        let range = try #require(try ledger.notificationRange())
        #expect(range.lowerBound.rawValue == 501 && range.upperBound.rawValue == 2_500)
        let after = try ledger.notifications(after: NotificationNumber(rawValue: 2_498), limit: 10)
        #expect(after.map(\.content.title) == ["2499", "2500"])
        #expect(try ledger.newestNotifications(limit: 1).map(\.number.rawValue) == [2_500])
    }
}
