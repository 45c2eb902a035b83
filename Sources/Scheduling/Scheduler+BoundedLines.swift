// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Limits the journal lines about a launch's submissions, replacements, cancellations and device tokens. Each of the
// first ones has a line, and the others are counted in one line at the launch's end. A plugin that floods the host with
// calls does not fill the disk.
extension Scheduler {
    /// The changes that write the journal entry of a call; empty when the calling launch has reached its limit of
    /// entries of this kind.
    ///
    /// - Parameter lines: when a launch called, the line that was counted for it is appended, even if the entry is
    ///   omitted. If the commit of the changes fails, `giveBack` subtracts the line again.
    mutating func bounded(
        _ entry: JournalEntry,
        _ kind: BoundedLines.Kind,
        from launch: LaunchNumber?,
        in lines: inout [BoundedLines.Line]
    ) -> [LedgerChange] {
        // Calls of users and operators are not bounded. A feeder needs each entry with a claim: requests with one are
        // few, and every such entry but the first ends the request.
        guard entry.claim == nil, let launch, launches.find(launch)?.execution != nil,
            let line = launches.execute(launch, { $0.lines.take(kind) })
        else { return [.journal(entry)] }
        lines.append(line)
        guard line.isWritten else { return [] }
        // Should the host go down first, no line has the count, because the count is only in memory.
        let notice =
            line.place == .lastWritten
            ? "; later entries of this kind are omitted: one entry at the end of the launch counts them, unless"
                + " the host goes down first" : ""
        return [.journal(entry.adding(notice))]
    }

    mutating func lines(
        of request: PendingRequest,
        replacing old: PendingRequest?,
        from launch: LaunchNumber?,
        at now: Moment
    ) -> (changes: [LedgerChange], lines: [BoundedLines.Line]) {
        var lines: [BoundedLines.Line] = []
        let message = "\(request.request.kind.name) request submitted by \(request.submitter.name)"
        let submitted = JournalEntry(request, .submitted, launch: launch, at: now, message: message)
        var changes = bounded(submitted, .submission, from: launch, in: &lines)
        if let old {
            let replaced = JournalEntry.replacement(of: old, by: request, at: now)
            changes += bounded(replaced, .replacement, from: launch, in: &lines)
        }
        return (changes, lines)
    }

    mutating func cancellationLine(
        of request: PendingRequest,
        from launch: LaunchNumber?,
        in lines: inout [BoundedLines.Line],
        at now: Moment
    ) -> [LedgerChange] {
        let message = "submission \(request.number) was cancelled before it ran"
        let entry = JournalEntry(request, .cancelled, at: now, message: message)
        return bounded(entry, .cancellation, from: launch, in: &lines)
    }

    /// Subtracts lines from the counts of the launch that called, because the commit of these lines failed.
    mutating func giveBack(_ lines: [BoundedLines.Line], of launch: LaunchNumber?) {
        guard let launch, launches.find(launch)?.execution != nil else { return }
        launches.execute(launch) { execution in
            for line in lines { execution.lines.giveBack(line) }
        }
    }

    /// One journal entry for each kind of line whose limit the launch exceeded, with the number of omitted lines.
    func summaries(ofLinesOmittedFor launch: ScheduledLaunch, at now: Moment) -> [JournalEntry] {
        guard let lines = launch.execution?.lines else { return [] }
        return BoundedLines.Kind.allCases.filter { lines.omitted($0) > 0 }.map { kind in
            let count = lines.omitted(kind)
            return JournalEntry(
                at: now.wall,
                event: kind.event,
                plugin: launch.plugin,
                launch: launch.number,
                blame: .nobody,
                message: "\(kind.fact(count)); only the first \(kind.limit) have a journal entry each",
                count: count
            )
        }
    }
}

extension BoundedLines.Kind {
    fileprivate var event: JournalEntry.Event {
        switch self {
        case .submission: .submitted
        case .replacement: .replaced
        case .cancellation: .cancelled
        case .pushToken: .pushTokenChanged
        }
    }

    fileprivate func fact(_ count: Int) -> String {
        let requests = count == 1 ? "request" : "requests"
        return switch self {
        case .submission: "this launch submitted \(count) more \(requests)"
        case .replacement: "submissions of this launch replaced \(count) more pending \(requests)"
        case .cancellation: "this launch cancelled \(count) more pending \(requests)"
        case .pushToken: "this launch changed the device token \(count) more times"
        }
    }
}
