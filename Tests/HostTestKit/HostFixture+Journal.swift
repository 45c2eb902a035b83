// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import ControlClient
import Foundation
import TaskModel

// The journal is what these tests wait on: each entry is there as soon as what it tells of is true.
extension HostFixture {
    /// The first entry that fits, whether it is written already or comes yet.
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

    /// Entries of outcomes and of the catalogue.
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

    /// Events that record a call or a launch's start, and no outcome.
    private static let calls: Set<String> = [
        "submitted", "launched", "triggered", "stop-requested", "cancel-requested",
        "launch-requested", "expiration-requested",
    ]

    /// The number of the newest entry.
    package func journalEnd() async throws -> Int64 { try await client.journal(limit: 1).last }

    /// How a submission ended for good, or came back to pending: its first entry of that kind after `start`.
    package func outcome(of submission: Int64, after start: Int64 = 0) async throws -> JournalLine {
        try await waitForJournal("how submission \(submission) ended", after: start) { line in
            line.submission == submission && TaskOutcome(rawValue: line.event) != nil
        }
    }

    package func end(ofLaunch launch: Int64) async throws -> JournalLine {
        try await waitForJournal("the end of launch \(launch)") { line in
            line.launch == launch && line.event.hasPrefix("launch-")
        }
    }

    /// What became of the event `started` that each plugin gets.
    @discardableResult
    package func started(_ plugin: TestPlugin, after start: Int64 = 0) async throws -> JournalLine {
        let identifier = plugin.identifier
        return try await waitForJournal("the event started of \(identifier)", after: start) { line in
            line.plugin == identifier && line.task == "started" && TaskOutcome(rawValue: line.event) != nil
        }
    }

    /// All that is known of what happened here, for whoever has to find out.
    package func story() async -> String {
        let recorded = (try? await recordedJournal()) ?? "not to be had"
        return "--- journal ---\n\(recorded)\n--- host's log ---\n\(log.joined(separator: "\n"))"
    }

    /// From the ledger itself: the host may be gone.
    private func recordedJournal() async throws -> String {
        let query = """
            select number, event, identifier, launch, label, submission, blame, message
            from journal join plugin on plugin.id = journal.plugin order by number
            """
        let run = try await ProgramRun.of("/usr/bin/sqlite3", ["-readonly", stateFolder + "/ledger.sqlite", query])
        return run.output + run.error
    }
}
