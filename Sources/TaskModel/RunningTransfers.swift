// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The transfers that launches run at the moment, each with its newest report.
package struct RunningTransfers: Hashable, Sendable {
    private let reports: [SubmissionNumber: TaskProgress?]

    /// - Parameter transfers: the running transfers, each with its newest report; nil before the first one.
    package init(_ transfers: [(number: SubmissionNumber, report: TaskProgress?)] = []) {
        reports = Dictionary(transfers.map { ($0.number, $0.report) }) { first, _ in first }
    }

    package var numbers: Set<SubmissionNumber> { Set(reports.keys) }

    package func contains(_ number: SubmissionNumber) -> Bool { reports.keys.contains(number) }

    /// The newest report of a running transfer; nil before it, and for every other transfer.
    package func report(of number: SubmissionNumber) -> TaskProgress? { reports[number] ?? nil }
}
