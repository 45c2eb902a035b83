// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import ControlClient
import Foundation
import TaskModel

// Waits of these tests are based on the journal: an entry appears as soon as its statement is true.
extension HostFixture {
    /// Waits for the first matching journal entry after the number `start`, past or future. Entries about calls and
    /// starts of launches are skipped, as in `journal`.
    @discardableResult
    package func waitForJournal(
        _ purpose: String,
        after start: Int64 = 0,
        where fits: @escaping @Sendable (JournalLine) -> Bool
    ) async throws -> JournalLine {
        let client = client
        return try await withDeadline(waitingFor: "a journal entry: \(purpose)") {
            for try await line in try await client.followJournal(after: start) {
                if !Self.calls.contains(line.event), fits(line) { return line }
            }
            throw HostFailure("the journal's stream ended before: \(purpose)")
        }
    }

    /// The journal entries after the number `start`, without those about calls and starts of launches.
    package func journal(after start: Int64 = 0) async throws -> [JournalLine] {
        try await wholeJournal(after: start).filter { !Self.calls.contains($0.event) }
    }

    package func wholeJournal(after start: Int64 = 0) async throws -> [JournalLine] {
        var lines: [JournalLine] = []
        while true {
            let more = try await client.journal(after: lines.last?.number ?? start, limit: 10_000).entries
            if more.isEmpty { return lines }
            lines += more
        }
    }

    /// Names of journal events that record a call or the start of a launch, not an outcome.
    private static let calls: Set<String> = [
        "submitted", "launched", "triggered", "stop-requested", "cancel-requested",
        "launch-requested", "expiration-simulated", "conditions-simulated", "simulation-ended",
    ]

    /// The number of the newest journal entry.
    package func journalEnd() async throws -> Int64 { try await client.journal(limit: 1).last }

    /// Waits for the first outcome of a submission after the entry `start`, final or requeued.
    package func outcome(of submission: Int64, after start: Int64 = 0) async throws -> JournalLine {
        try await waitForJournal("how submission \(submission) ended", after: start) { line in
            line.submission == submission && TaskOutcome(rawValue: line.event) != nil
        }
    }

    package func end(ofLaunch launch: Int64, after start: Int64 = 0) async throws -> JournalLine {
        try await waitForJournal("the end of launch \(launch)", after: start) { line in
            line.launch == launch && line.event.hasPrefix("launch-")
        }
    }

    /// Waits for an outcome of the plugin's event `started` after the journal entry `start`, and returns the entry of
    /// this outcome.
    @discardableResult
    package func started(_ plugin: TestPlugin, after start: Int64 = 0) async throws -> JournalLine {
        let identifier = plugin.identifier
        return try await waitForJournal("the event started of \(identifier)", after: start) { line in
            line.plugin == identifier && line.task == "started" && TaskOutcome(rawValue: line.event) != nil
        }
    }

    /// Journal and log of the host, for the diagnosis of a failure.
    package func story() async -> String {
        let recorded = (try? await recordedJournal()) ?? "not to be had"
        return "--- journal ---\n\(recorded)\n--- host's log ---\n\(log.joined(separator: "\n"))"
    }

    /// The journal as text. It is read from the ledger file, because the host may have ended.
    private func recordedJournal() async throws -> String {
        let query = """
            select number, event, identifier, launch, label, submission, blame, message
            from journal join plugin on plugin.id = journal.plugin order by number
            """
        let run = try await ProgramRun.of(
            "/usr/bin/sqlite3",
            ["-readonly", stateDirectory + "/ledger/ledger.sqlite", query]
        )
        return run.output + run.error
    }
}
