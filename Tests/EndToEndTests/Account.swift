// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// What was promised, held against what the plugin saw and what the journal says.
struct Account {
    /// Acknowledged, but it neither ran nor waits, and no entry says what took its place.
    let lost: [Int64]
    /// Ran more often than the journal has it coming back.
    let repeatedInSilence: [Int64]
    /// The journal has it succeed, but the plugin never saw it; or twice.
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
            return runs[number] == nil && wasReplaced != true && !pending.contains(number)
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
