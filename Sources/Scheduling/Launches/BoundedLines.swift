// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Counts of the journal lines that the calls of one launch cause. The first lines of each kind are written, later
/// lines only counted.
struct BoundedLines: Sendable {
    enum Kind: CaseIterable {
        /// The line about an accepted request that the launch submitted.
        case submission
        /// The line about a pending request that a submission of the launch replaced.
        case replacement
        /// The line about a pending request that the launch cancelled. A cancellation is an outcome, which `why` reads
        /// from the journal.
        case cancellation
        /// The line about a device token that the launch registered or unregistered.
        case pushToken

        /// Maximum number of journal lines of the kind per launch; later lines are only counted.
        var limit: Int { self == .cancellation ? 100 : 20 }
    }

    /// One counted journal line of a call. When the commit of the line fails, the line is subtracted from the count
    /// again.
    struct Line: Hashable, Sendable {
        enum Place { case written, lastWritten, omitted }
        let kind: Kind
        let place: Place
        var isWritten: Bool { place != .omitted }
    }

    private var written: [Kind: Int] = [:]
    private var omittedCounts: [Kind: Int] = [:]

    /// Number of lines of the kind that were not written, because they exceed the limit.
    func omitted(_ kind: Kind) -> Int { omittedCounts[kind] ?? 0 }

    mutating func take(_ kind: Kind) -> Line {
        let count = (written[kind] ?? 0) + 1
        guard count <= kind.limit else {
            omittedCounts[kind, default: 0] += 1
            return Line(kind: kind, place: .omitted)
        }
        written[kind] = count
        return Line(kind: kind, place: count == kind.limit ? .lastWritten : .written)
    }

    mutating func giveBack(_ line: Line) {
        if line.isWritten { written[line.kind, default: 1] -= 1 } else { omittedCounts[line.kind, default: 1] -= 1 }
    }
}
