// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The migration of an older ledger keeps its contents except the waits of single submissions")
struct MigrationTests {
    private let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    /// The ledger versions in which requests have another form. Version 4 has the present form; the later versions
    /// change the journal and a blame, and add the users and the pauses of plugins and the failures of work.
    private static let versions = 1...3

    /// Creates the ledger file that a host of the version would leave, with rows in every table.
    private func makeLedger(ofVersion version: Int) throws {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[version - 1].name)
        try older.close()
        try directory.tamper(firstHost)
        if version == 3 { try directory.tamper(thirdHost) }
    }

    @Test(arguments: versions) func `pending work, running launches and known plugins are unchanged after a migration`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        let ledger = try Ledger.open(path: directory.path)
        let snapshot = try ledger.snapshot()
        #expect(snapshot.pendingPlugins.contains(feed) && snapshot.pendingPlugins.contains(keyboard))
        let clean = older(7, "clean", retry: Retry(attempts: 2, notBefore: time(90)))
        #expect(try ledger.work(of: feed).requests.first == clean)
        #expect(try ledger.work(of: keyboard) == PluginWork(plugin: keyboard, events: [trigger(8)]))
        #expect(snapshot.known == [KnownPlugin(entry(feed))])
        #expect(snapshot.lastSubmission == 9 && snapshot.lastLaunch == 4)

        let running = try #require(snapshot.running.first)
        #expect(snapshot.running.count == 1 && running.number == 4 && running.mayNotBeRequeued == [6])
        let event = PendingEvent(
            plugin: feed,
            number: 6,
            type: .started,
            createdAt: time(6),
            retry: Retry(attempts: 1, notBefore: time(5), wasInterrupted: true)
        )
        #expect(running.unfinished == [.request(older(5, "refresh")), .event(event)])
        #expect(running.process == plan(4, []).process)
        #expect(try ledger.payloads(ofLaunch: 4) == [5: [1, 2], 6: []])
        try ledger.close()
    }

    @Test
    func `requests and schedules of version 3 are unchanged after a migration, and waits are deleted`() throws {
        try makeLedger(ofVersion: 3)
        let ledger = try Ledger.open(path: directory.path)
        var study = fullRequest(9, "study", claim: nil)
        (study.retry.hostLosses, study.retry.failures) = (0, 0)
        let work = try ledger.work(of: feed)
        #expect(work.requests.map(\.number) == [7, 9] && work.requests.last == study)
        #expect(work.waits.isEmpty && work.deferrals.isEmpty)
        #expect(try ledger.waits(WaitSelection(key: WaitKey(of: .request(study)), from: time(0), limit: 9)).isEmpty)
        let snapshot = try ledger.snapshot()
        #expect(snapshot.fetches == [feed: FetchSchedule(interval: .seconds(60), last: time(6))])
        #expect(snapshot.occurrences == [task("com.example.feed.refresh"): time(7)])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test(arguments: versions) func `launches and the journal are unchanged after a migration`(version: Int) throws {
        try makeLedger(ofVersion: version)
        let ledger = try Ledger.open(path: directory.path)
        let launches = try ledger.launches(limit: 9, plugin: feed)
        #expect(launches.map(\.number) == [4, 3] && launches.map(\.budget) == [.seconds(30), .seconds(30)])
        #expect(launches.last?.end == end())
        #expect(launches.last?.tasks.map(\.outcome) == [.succeeded])
        let past = PastLaunch(
            plugin: feed,
            lane: .background,
            cause: .user,
            outcome: .completed,
            endedAt: time(2_000),
            used: .milliseconds(1_250)
        )
        #expect(try ledger.snapshot().past == [past])
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.message) == ["done"])
        let span = try #require(try ledger.pendingSpan(ofNewestTask: "com.example.feed.refresh"))
        #expect(span.submission == 2 && span.since == time(2) && span.until == time(1_003))
        try ledger.close()
    }

    @Test func `an outcome blamed on a person has the blame user after a migration`() throws {
        try makeLedger(ofVersion: 1)
        try directory.tamper("UPDATE journal SET blame = 'person'")
        try directory.tamper("UPDATE launch SET blame = 'person' WHERE blame IS NOT NULL")
        let ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.blame) == [.user])
        #expect(try ledger.launches(limit: 9, plugin: feed).last?.end?.blame == .user)
        try ledger.close()
    }

    @Test func `the journal of version 6 keeps its entries and does not reuse the number of a pruned one`() async throws
    {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[5].name)
        try older.close()
        try directory.tamper(sixthHost)
        let ledger = try Ledger.open(path: directory.path)
        let entry = JournalEntry(at: time(4), event: .conditionsSimulated, plugin: nil, blame: .nobody, message: "idle")
        try await ledger.commitAndWait([.journal(entry)])
        let records = try ledger.journal(JournalSelection(limit: 9))
        #expect(records.map(\.number.rawValue) == [3, 10] && records.map(\.plugin) == [feed, nil])
        #expect(records.first?.user == CallingUser(uid: 1_000, pid: 4_711, command: "bgtask"))
        #expect(records.first?.successor == 12 && records.first?.count == 2)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `a journal whose entries are all pruned keeps its last number after a migration`() async throws {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[5].name)
        try older.close()
        try directory.tamper(sixthHost + "DELETE FROM journal;")
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([note("first entry of the newer host")])
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.number.rawValue) == [10])
        try ledger.close()
    }

    @Test func `a ledger of version 7 has no user indexes of plugins after a migration, and accepts new ones`() throws {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[6].name)
        try older.close()
        try directory.tamper(sixthHost)
        var ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.userIndexes().isEmpty)
        try ledger.recordUser(index: 0, of: feed)
        try ledger.recordUser(index: 4, of: keyboard)
        try ledger.recordUser(index: 5, of: feed)
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.userIndexes() == [feed: 5, keyboard: 4])
        // Another plugin takes an index over.
        try ledger.recordUser(index: 4, of: feed)
        #expect(try ledger.userIndexes() == [feed: 4])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `the cursors of version 16 keep the order of their writes, and its tokens are dropped`() async throws {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[15].name)
        try older.close()
        try directory.tamper(sixteenthHost)
        let ledger = try Ledger.open(path: directory.path)
        let order = try await ledger.database.read { database in
            try String.fetchAll(database, sql: "SELECT identifier FROM cursor WHERE plugin = 1 ORDER BY sequence")
        }
        #expect(order == ["com.example.feed.second", "com.example.feed.third", "com.example.feed.first"])
        let cursor = try #require(try ledger.cursor(of: task("com.example.feed.first"))?.cursor)
        #expect(cursor.bytes == [1, 2] && cursor.standstills == 2 && cursor.submission == 7)
        #expect(try ledger.pushTokens().isEmpty)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test(arguments: versions)
    func `a migrated ledger accepts submissions, requeues, launches and pruning`(version: Int) async throws {
        try makeLedger(ofVersion: version)
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(10, "clean"), payload: [3]),
            .requeueTask(4, .request(older(5, "refresh")), at: time(9)),
            .endTask(4, 6), .endLaunch(4, end()), .removeRequest(9),
        ])
        #expect(try ledger.work(of: feed).requests == [older(5, "refresh"), fullRequest(10, "clean")])
        try await ledger.commitAndWait([.startLaunch(plan(5, [.request(fullRequest(10, "clean"))], budget: nil))])
        #expect(try ledger.payloads(ofLaunch: 5) == [10: [3]])
        // Pruning still deletes the tasks of a launch and leaves no dangling reference.
        #expect(try ledger.prune(journalOlderThan: time(0), launchesOlderThan: time(9_000)).launches == 2)
        let tasks = try await ledger.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM task") }
        #expect(tasks == 1)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test(arguments: versions)
    func `an inspection of an older ledger shows its pending requests and running launches, and changes no file`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        let before = try directory.files()
        let inspection = LedgerInspection(path: directory.path)
        #expect(try directory.files() == before)
        #expect(inspection.problems.isEmpty && inspection.state == .readable(version: Int64(version)))
        #expect(inspection.pendingRequests == (version == 3 ? 2 : 1))
        #expect(inspection.snapshot?.running.map(\.number) == [4])
    }

    /// A request with values only for the fields that the older versions have.
    private func older(_ number: Int64, _ name: String, retry: Retry = Retry()) -> PendingRequest {
        PendingRequest(
            plugin: feed,
            number: SubmissionNumber(rawValue: number),
            request: TaskRequest(
                identifier: task("com.example.feed.\(name)"),
                kind: .processing,
                earliestBegin: time(50),
                requiresNetwork: true
            ),
            submitter: .plugin(keyboard),
            submittedAt: time(number),
            retry: retry
        )
    }
}

/// SQL for rows as a host of version 1 wrote them. Columns are named if a later version has more.
private let firstHost = """
    INSERT INTO plugin VALUES (1, 'com.example.feed'), (2, 'com.example.feed.keyboard');
    INSERT INTO known_plugin VALUES
        (1, '/manifests/com.example.feed.yaml', 'a1a2', 'b1b2', 'com.example.feed.refresh
    com.example.feed.export.*', NULL);
    UPDATE counter SET last = iif(name = 'launch', 4, 9);
    INSERT INTO request (
        number, plugin, identifier, kind, earliest_begin, requires_network, requires_external_power, submitter,
        submitted_at, attempts, not_before, runs_alone, was_interrupted, payload
    ) VALUES (7, 1, 'com.example.feed.clean', 2, 50000000000, 1, 0, 2, 7000000000, 2, 90000000000, 0, 0, x'0907');
    INSERT INTO event VALUES (8, 2, 2, 8000000000, 0, NULL, 0, 0, x'');
    INSERT INTO launch VALUES
        (3, 1, 1, 2, 1003000000000, 30000000000, 4500000000, 4711, -2, '2c1f…', '/sys/fs/cgroup/bgtask/3', 'a1a2',
            'b1b2', 'completed', 2000000000000, 1250000000, 'plugin', 'all done'),
        (4, 1, 1, 2, 1004000000000, 30000000000, 4500000000, 4711, -2, '2c1f…', '/sys/fs/cgroup/bgtask/4', 'a1a2',
            'b1b2', NULL, NULL, NULL, NULL, NULL);
    INSERT INTO task (
        launch, position, submission, kind, label, event_type, earliest_begin, requires_network,
        requires_external_power, submitter, submitted_at, attempts, not_before, runs_alone, was_interrupted,
        is_kept_from_returning, is_over, outcome, payload
    ) VALUES
        (3, 0, 2, 1, 'com.example.feed.refresh', NULL, NULL, 0, 0, NULL, 2000000000, 0, NULL, 0, 0, 0, 1,
            'succeeded', NULL),
        (4, 0, 5, 2, 'com.example.feed.refresh', NULL, 50000000000, 1, 0, 2, 5000000000, 0, NULL, 0, 0, 0, 0, NULL,
            x'0102'),
        (4, 1, 6, 5, 'started', 1, NULL, 0, 0, NULL, 6000000000, 1, 5000000000, 0, 1, 1, 0, NULL, x'');
    INSERT INTO journal VALUES
        (1, 2000000000000, 'succeeded', 1, 3, 'com.example.feed.refresh', 2, 'nobody', 'done');
    """

/// SQL for journal entries 3 and 9 as a host of version 6 wrote them; entry 9 is pruned.
private let sixthHost = """
    INSERT INTO plugin VALUES (1, 'com.example.feed');
    INSERT INTO journal VALUES
        (3, 3000000000, 'replaced', 1, 41, 'com.example.feed.refresh', 2, 'nobody', 'done', 12, 2, 1000, 4711, 'bgtask'),
        (9, 9000000000, 'plugin-removed', 1, NULL, NULL, NULL, 'nobody', '', NULL, NULL, NULL, NULL, NULL);
    DELETE FROM journal WHERE number = 9;
    """

/// SQL for cursors and device tokens as a host of version 16 wrote them. The cursor that was created first was written
/// last.
private let sixteenthHost = """
    INSERT INTO plugin VALUES (1, 'com.example.feed'), (2, 'com.example.mail');
    INSERT INTO cursor VALUES
        (1, 1, 'com.example.feed.first', x'0102', '2.1', 7, NULL, 9000000000, 2),
        (2, 1, 'com.example.feed.second', x'03', '2.1', 8, NULL, 5000000000, 0),
        (3, 2, 'com.example.mail.inbox', x'04', '1.0', 9, NULL, 6000000000, 0),
        (4, 1, 'com.example.feed.third', x'05', '2.1', 10, NULL, 5000000000, 0);
    INSERT INTO push_token VALUES (1, zeroblob(32), 1000000000);
    INSERT INTO ended_push_token VALUES (1, x'0a0b', 1, 2000000000);
    """

/// SQL for additional rows as a host of version 3 wrote them, with the values in the order of the columns.
private let thirdHost = """
    INSERT INTO request VALUES
        (9, 1, 'com.example.feed.study', 2, 2000000000000000000, 1, 0, 3, 'Export', 'of 12 photos', 2, -2, 2,
            1763000000123456789, 2, 1900000000000000000, 1, 0, 1850000000000000000, x'0102');
    INSERT INTO wait VALUES (1, 9, 1, 'com.example.feed.study', 'heat', 1000000000, NULL),
        (2, 5, 1, 'com.example.feed.refresh', 'network', 1000000000, 2000000000);
    INSERT INTO fetch_schedule VALUES (1, 60000000000, 6000000000);
    INSERT INTO occasion VALUES ('com.example.feed.refresh', 7000000000);
    """
