// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A released schema is never edited, only extended by a further step")
struct SchemaTests {
    @Test func `the schema has twenty-three named migration steps, and its version is their number`() throws {
        #expect(
            LedgerSchema.migrator.migrations == [
                "1: pending, launches, journal, plugins", "2: journal by plugin, event, blame and time",
                "3: every kind of request, waits, fetches, occasions",
                "4: pending work by plugin, payloads apart, waits and deferrals by class",
                "5: journal with successors, counts and users",
                "6: blame of users",
                "7: journal entries about the host",
                "8: users of plugins",
                "9: pauses of plugins",
                "10: size of the journal",
                "11: retries of failed tasks",
                "12: incarnation",
                "13: payloads for retries by users",
                "14: uses of plugins by hour of the week",
                "15: deadlines of requests, device tokens",
                "16: cursors of tasks",
                "17: pushes without a journal entry",
                "18: digests of device tokens",
                "19: order and payloads of cursors, restarts, setbacks",
                "20: answers to pushes",
                "21: transfers",
                "22: alerts, notifications",
                "23: claims",
                "24: leases of feeders",
            ]
        )
        #expect(LedgerSchema.version == 24)
        let database = try DatabaseQueue()
        try LedgerSchema.migrator.migrate(database)
        #expect(try pragma("user_version", of: database) == 24)
        #expect(try pragma("application_id", of: database) == LedgerSchema.applicationID)
    }

    @Test func `a ledger of every older version is migrated and keeps its last launch number`() async throws {
        for step in LedgerSchema.migrator.migrations {
            let directory = try LedgerDirectory()
            let older = try DatabaseQueue(path: directory.path)
            try LedgerSchema.migrator.migrate(older, upTo: step)
            try older.close()
            let isOneRow = LedgerSchema.migrator.migrations.dropFirst(3).contains(step)
            try directory.tamper("UPDATE counter SET \(isOneRow ? "launch = 12" : "last = 12 WHERE name = 'launch'")")

            let ledger = try Ledger.open(path: directory.path)
            #expect(try ledger.snapshot().lastLaunch == 12)
            let version = try await ledger.database.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") }
            #expect(version == LedgerSchema.version)
            try ledger.close()
        }
    }

    /// The expected text lists the tables with their columns in order. A change requires a new migration step.
    @Test func `the tables of schema version 1 equal the recorded ones`() throws {
        let found = try tables(ofVersion: 1)
        #expect(words(found.joined(separator: "\n")) == words(firstVersion))
    }

    @Test(arguments: [
        3: thirdVersion, 4: fourthVersion, 5: fifthVersion, 7: seventhVersion, 8: eighthVersion, 9: ninthVersion,
        10: tenthVersion, 11: eleventhVersion, 12: twelfthVersion,
        13: thirteenthVersion, 14: usesVersion, 15: fifteenthStep, 16: cursorsVersion,
        17: pushSumsVersion,
        18: tokenDigestsStep,
        19: nineteenthVersion,
        20: pushAnswersVersion,
        21: transfersVersion,
        22: notificationsStep,
        23: claimsStep,
        24: leasesStep,
    ])
    func `the tables that schema versions 3, 4, 5 and 7 to 24 add or change equal the recorded ones`(
        version: Int,
        text: String
    ) throws {
        let kept = try tables(ofVersion: version - 1)
        let found = try tables(ofVersion: version).filter { !kept.contains($0) }
        #expect(words(found.joined(separator: "\n")) == words(text))
    }

    @Test func `pending work is found by its plugin and by its number, without scan or sort`() throws {
        let ledger = try Ledger.inMemory()
        let statements: [(sql: String, index: String)] = [
            (Request.ofPlugin, "SEARCH request USING PRIMARY KEY (plugin=?)"),
            (Event.ofPlugin, "SEARCH event USING PRIMARY KEY (plugin=?)"),
            (Deferral.ofPlugin, "SEARCH deferral USING PRIMARY KEY (plugin=?)"),
            (Request.remove.sql, "SEARCH request USING COVERING INDEX request_by_number (number=?)"),
            (Event.remove.sql, "SEARCH event USING COVERING INDEX event_by_number (number=?)"),
            (Payload.ofLaunch, "SEARCH payload USING INTEGER PRIMARY KEY (rowid=?)"),
        ]
        for (sql, index) in statements {
            let plan = try ledger.queryPlan(sql, [1])
            #expect(plan.contains { $0.hasPrefix(index) }, "\(plan)")
            #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        }
        let plan = try ledger.queryPlan(Pending.plugins, [])
        #expect(plan.contains { $0.contains("SEARCH request USING PRIMARY KEY (plugin=?)") }, "\(plan)")
        #expect(plan.contains { $0.contains("SEARCH event USING PRIMARY KEY (plugin=?)") }, "\(plan)")
        #expect(!plan.contains { $0.contains("SCAN request") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    private func tables(ofVersion version: Int) throws -> [String] {
        let database = try DatabaseQueue()
        try LedgerSchema.migrator.migrate(database, upTo: LedgerSchema.steps[version - 1].name)
        return try database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT s.name || ': ' || group_concat(
                        c.name || ' ' || c.type || iif(c."notnull", '!', '') || iif(c.pk, ' #' || c.pk, ''), ', '
                    )
                    FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
                    WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%' AND s.name NOT LIKE 'grdb%'
                    GROUP BY s.name ORDER BY s.name
                    """
            )
        }
    }

    /// The words of the text, so that line breaks and indentation do not matter.
    private func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    private func pragma(_ name: String, of database: DatabaseQueue) throws -> Int64? {
        try database.read { try Int64.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}

private let firstVersion = """
    counter: name TEXT! #1, last INTEGER!
    event: number INTEGER #1, plugin INTEGER!, type INTEGER!, created_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, payload BLOB!
    journal: number INTEGER #1, at INTEGER!, event TEXT!, plugin INTEGER!, launch INTEGER, label TEXT, submission
        INTEGER, blame TEXT!, message TEXT!
    known_plugin: plugin INTEGER #1, manifest_path TEXT!, manifest_digest TEXT!, library_digest TEXT!, permitted
        TEXT!, missing_since INTEGER
    launch: number INTEGER #1, plugin INTEGER!, lane INTEGER!, cause INTEGER!, started_at INTEGER!, budget_ns
        INTEGER!, grace_ns INTEGER!, pid INTEGER!, start_time INTEGER!, boot TEXT!, control_group TEXT,
        manifest_digest TEXT!, library_digest TEXT!, outcome TEXT, ended_at INTEGER, used_ns INTEGER, blame TEXT,
        message TEXT
    plugin: id INTEGER #1, identifier TEXT!
    request: number INTEGER #1, plugin INTEGER!, identifier TEXT!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, submitter INTEGER, submitted_at INTEGER!,
        attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, payload BLOB!
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, submitter
        INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted
        INTEGER!, is_kept_from_returning INTEGER!, is_over INTEGER!, outcome TEXT, payload BLOB
    """

private let fifthVersion = """
    journal: number INTEGER #1, at INTEGER!, event TEXT!, plugin INTEGER!, launch INTEGER, label TEXT, submission
        INTEGER, blame TEXT!, message TEXT!, successor INTEGER, count INTEGER, user_id INTEGER, user_process INTEGER,
        user_command TEXT
    """

private let seventhVersion = """
    journal: number INTEGER #1, at INTEGER!, event TEXT!, plugin INTEGER, launch INTEGER, label TEXT, submission
        INTEGER, blame TEXT!, message TEXT!, successor INTEGER, count INTEGER, user_id INTEGER, user_process INTEGER,
        user_command TEXT
    """

private let eighthVersion = """
    plugin_user: plugin TEXT! #1, position INTEGER!
    """

private let ninthVersion = """
    plugin_pause: plugin INTEGER #1, since INTEGER!, until INTEGER, user_id INTEGER, user_process INTEGER,
        user_command TEXT
    """

private let tenthVersion = """
    counter: id INTEGER #1, commits INTEGER!, submission INTEGER!, launch INTEGER!, journal_bytes INTEGER!
    """

private let eleventhVersion = """
    event: plugin INTEGER! #1, number INTEGER! #2, type INTEGER!, created_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, payload_size INTEGER!,
        failures INTEGER!
    request: plugin INTEGER! #1, identifier TEXT! #2, number INTEGER!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, protection INTEGER!, title TEXT, subtitle TEXT,
        strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, deferred_since INTEGER,
        payload_size INTEGER!, failures INTEGER!
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, protection
        INTEGER!, title TEXT, subtitle TEXT, strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at
        INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses
        INTEGER!, deferred_since INTEGER, is_kept_from_returning INTEGER!, is_over INTEGER!, outcome TEXT,
        payload_size INTEGER!, failures INTEGER!
    """

private let twelfthVersion = """
    counter: id INTEGER #1, commits INTEGER!, submission INTEGER!, launch INTEGER!, journal_bytes INTEGER!,
        incarnation INTEGER!
    """

private let thirteenthVersion = """
    kept_payload: id INTEGER #1, plugin INTEGER!, identifier TEXT!, submission INTEGER!, launch INTEGER!, bytes BLOB!
    """

private let usesVersion = """
    plugin_use: plugin INTEGER #1, newest INTEGER!, weights BLOB!
    """

private let cursorsVersion = """
    cursor: id INTEGER #1, plugin INTEGER!, identifier TEXT!, bytes BLOB!, version TEXT!, written_by INTEGER!, moved_in
        INTEGER, moved_at INTEGER!, standstills INTEGER!
    """

private let pushSumsVersion = """
    push_sum: plugin INTEGER! #1, user_id INTEGER! #2, user_process INTEGER!, user_command TEXT, accepted INTEGER!,
        replaced INTEGER!, lapsed INTEGER!, last INTEGER!
    """

private let tokenDigestsStep = """
    ended_push_token: id INTEGER #1, digest BLOB!, plugin INTEGER!, ended_at INTEGER!
    push_token: plugin INTEGER #1, token BLOB!, digest BLOB!, issued_at INTEGER!
    """

private let nineteenthVersion = """
    cursor: id INTEGER #1, plugin INTEGER!, identifier TEXT!, bytes BLOB!, version TEXT!, written_by INTEGER!, moved_in
        INTEGER, moved_at INTEGER!, standstills INTEGER!, sequence INTEGER!, origin INTEGER
    event: plugin INTEGER! #1, number INTEGER! #2, type INTEGER!, created_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, payload_size INTEGER!, failures
        INTEGER!, setbacks INTEGER!
    request: plugin INTEGER! #1, identifier TEXT! #2, number INTEGER!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, protection INTEGER!, title TEXT, subtitle TEXT,
        strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, deferred_since INTEGER,
        payload_size INTEGER!, failures INTEGER!, expires_at INTEGER, restarts INTEGER!, setbacks INTEGER!
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, protection
        INTEGER!, title TEXT, subtitle TEXT, strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at
        INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses
        INTEGER!, deferred_since INTEGER, is_kept_from_returning INTEGER!, is_over INTEGER!, outcome TEXT,
        payload_size INTEGER!, failures INTEGER!, expires_at INTEGER, setbacks INTEGER!
    """

private let pushAnswersVersion = """
    push_answer: plugin INTEGER! #1, submission INTEGER! #2, identity BLOB!, state TEXT!, other INTEGER, expires_at
        INTEGER, at INTEGER!
    """

private let notificationsStep = """
    alert: number INTEGER #1, plugin TEXT!, topic TEXT, accepted_at INTEGER!, title TEXT!, subtitle TEXT, body TEXT
    notification: number INTEGER #1, at INTEGER!, alarm TEXT, event TEXT, plugin TEXT, topic TEXT, submission INTEGER,
        launch INTEGER, label TEXT, blame TEXT, is_changed INTEGER!, title TEXT!, subtitle TEXT, body TEXT
    """

private let fifteenthStep = """
    ended_push_token: id INTEGER #1, token BLOB!, plugin INTEGER!, ended_at INTEGER!
    push_token: plugin INTEGER #1, token BLOB!, issued_at INTEGER!
    request: plugin INTEGER! #1, identifier TEXT! #2, number INTEGER!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, protection INTEGER!, title TEXT, subtitle TEXT,
        strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, deferred_since INTEGER,
        payload_size INTEGER!, failures INTEGER!, expires_at INTEGER
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, protection
        INTEGER!, title TEXT, subtitle TEXT, strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at
        INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses
        INTEGER!, deferred_since INTEGER, is_kept_from_returning INTEGER!, is_over INTEGER!, outcome TEXT,
        payload_size INTEGER!, failures INTEGER!, expires_at INTEGER
    """

private let thirdVersion = """
    fetch_schedule: plugin INTEGER #1, interval_ns INTEGER!, last INTEGER!
    launch: number INTEGER #1, plugin INTEGER!, lane INTEGER!, cause INTEGER!, started_at INTEGER!, budget_ns
        INTEGER, grace_ns INTEGER!, pid INTEGER!, start_time INTEGER!, boot TEXT!, control_group TEXT,
        manifest_digest TEXT!, library_digest TEXT!, outcome TEXT, ended_at INTEGER, used_ns INTEGER, blame TEXT,
        message TEXT
    occasion: identifier TEXT! #1, at INTEGER!
    request: number INTEGER #1, plugin INTEGER!, identifier TEXT!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, protection INTEGER!, title TEXT, subtitle TEXT,
        strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, held_softly_since INTEGER, payload BLOB!
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, submitter
        INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted
        INTEGER!, is_kept_from_returning INTEGER!, is_over INTEGER!, outcome TEXT, payload BLOB, protection INTEGER!,
        title TEXT, subtitle TEXT, strategy INTEGER, resources INTEGER, held_softly_since INTEGER
    wait: number INTEGER #1, submission INTEGER!, plugin INTEGER!, label TEXT!, reason TEXT!, since INTEGER!, until
        INTEGER
    """

private let fourthVersion = """
    counter: id INTEGER #1, commits INTEGER!, submission INTEGER!, launch INTEGER!
    deferral: plugin INTEGER! #1, class INTEGER! #2, position INTEGER! #3, since INTEGER!, until INTEGER
    event: plugin INTEGER! #1, number INTEGER! #2, type INTEGER!, created_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, payload_size INTEGER!
    payload: submission INTEGER #1, bytes BLOB!
    request: plugin INTEGER! #1, identifier TEXT! #2, number INTEGER!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, protection INTEGER!, title TEXT, subtitle TEXT,
        strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at INTEGER!, attempts INTEGER!, not_before
        INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, deferred_since INTEGER,
        payload_size INTEGER!
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, protection
        INTEGER!, title TEXT, subtitle TEXT, strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at
        INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses
        INTEGER!, deferred_since INTEGER, is_kept_from_returning INTEGER!, is_over INTEGER!, outcome TEXT, payload_size
        INTEGER!
    wait: number INTEGER #1, plugin INTEGER!, class INTEGER!, reason TEXT!, since INTEGER!, until INTEGER
    """

private let transfersVersion = """
    transfer: number INTEGER #1, plugin INTEGER!, direction INTEGER!, session TEXT!, label TEXT, url TEXT!, place TEXT!,
        begun_at INTEGER!, state INTEGER!, fault INTEGER, http_status INTEGER, bytes INTEGER!, total INTEGER, idle_ns
        INTEGER!, tried_at INTEGER, ended_at INTEGER, file TEXT, is_taken INTEGER!, is_paused INTEGER!, message TEXT!
    """

private let claimsStep = """
    journal: number INTEGER #1, at INTEGER!, event TEXT!, plugin INTEGER, launch INTEGER, label TEXT, submission
        INTEGER, blame TEXT!, message TEXT!, successor INTEGER, count INTEGER, user_id INTEGER, user_process
        INTEGER, user_command TEXT, claim_item INTEGER, claim_fence INTEGER, claim_bound INTEGER
    request: plugin INTEGER! #1, identifier TEXT! #2, number INTEGER!, kind INTEGER!, earliest_begin INTEGER,
        requires_network INTEGER!, requires_external_power INTEGER!, protection INTEGER!, title TEXT, subtitle
        TEXT, strategy INTEGER, resources INTEGER, submitter INTEGER, submitted_at INTEGER!, attempts INTEGER!,
        not_before INTEGER, runs_alone INTEGER!, was_interrupted INTEGER!, host_losses INTEGER!, deferred_since
        INTEGER, payload_size INTEGER!, failures INTEGER!, expires_at INTEGER, restarts INTEGER!, setbacks
        INTEGER!, claim_item INTEGER, claim_fence INTEGER, claim_bound INTEGER, claim_lease TEXT
    task: launch INTEGER! #1, position INTEGER! #2, submission INTEGER!, kind INTEGER!, label TEXT!, event_type
        INTEGER, earliest_begin INTEGER, requires_network INTEGER!, requires_external_power INTEGER!, protection
        INTEGER!, title TEXT, subtitle TEXT, strategy INTEGER, resources INTEGER, submitter INTEGER,
        submitted_at INTEGER!, attempts INTEGER!, not_before INTEGER, runs_alone INTEGER!, was_interrupted
        INTEGER!, host_losses INTEGER!, deferred_since INTEGER, is_kept_from_returning INTEGER!, is_over
        INTEGER!, outcome TEXT, payload_size INTEGER!, failures INTEGER!, expires_at INTEGER, setbacks INTEGER!,
        claim_item INTEGER, claim_fence INTEGER, claim_bound INTEGER, claim_lease TEXT
    """

private let leasesStep = """
    journal: number INTEGER #1, at INTEGER!, event TEXT!, plugin INTEGER, launch INTEGER, label TEXT, submission
        INTEGER, blame TEXT!, message TEXT!, successor INTEGER, count INTEGER, user_id INTEGER, user_process
        INTEGER, user_command TEXT, claim_item INTEGER, claim_fence INTEGER, claim_bound INTEGER, lease_lost INTEGER
    lease: name TEXT! #1, owner INTEGER!, acknowledged INTEGER!, length_ns INTEGER!
    """
