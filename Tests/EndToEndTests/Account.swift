// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// A comparison of the acknowledged submissions with the runs that the plugin recorded and with the journal.
struct Account {
    /// Submissions that were acknowledged but neither ran nor are pending, and that no journal entry marks as replaced or
    /// superseded, or as abandoned after five losses of the host.
    let lost: [Int64]
    /// Submissions that ran more often than the interruptions in the journal explain.
    let repeatedInSilence: [Int64]
    /// Submissions with two successes in the journal, or with one success although the plugin recorded no run.
    let contradicted: [Int64]
    let summary: String

    init(acknowledged: [Int64], journal: [JournalLine], ran text: String, pending: [Int64]) {
        var runs: [Int64: Int] = [:]
        for line in text.split(separator: "\n") {
            if let number = line.split(separator: " ").last.flatMap({ Int64($0) }) { runs[number, default: 0] += 1 }
        }
        let requests = journal.filter { $0.submission != nil && $0.task != "started" }
        let entries = Dictionary(grouping: requests) { $0.submission ?? 0 }
        func count(_ number: Int64, _ event: String) -> Int { entries[number]?.count { $0.event == event } ?? 0 }
        lost = acknowledged.filter { number in
            let wasReplaced = entries[number]?.contains { $0.event == "replaced" || $0.event == "superseded" }
            // Four losses of the host are journaled as interruptions, the fifth as this end.
            let wasAbandoned = entries[number]?.contains { $0.event == "abandoned" && $0.blame == "unknown" } == true
            let isExplained = wasReplaced == true || wasAbandoned && count(number, "interrupted") >= 4
            return runs[number] == nil && !isExplained && !pending.contains(number)
        }
        let events = Dictionary(grouping: requests, by: \.event).mapValues(\.count)
        let repeated = runs.values.count { $0 > 1 }
        let counts = events.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        summary = "the journal has \(counts); \(runs.count) ran, \(repeated) of them again"
        repeatedInSilence = runs.filter { $0.value > 1 + count($0.key, "interrupted") }.map(\.key)
        contradicted = Set(runs.keys).union(entries.keys).filter { number in
            let successes = count(number, "succeeded")
            return successes > 1 || successes == 1 && runs[number] == nil
        }
    }
}
