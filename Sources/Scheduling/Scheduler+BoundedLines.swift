// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Limits the journal lines about a launch's submissions, replacements and cancellations. Each of the first ones has a
// line, and the others are counted in one line at the launch's end. A plugin that floods the host with calls does not
// fill the disk.
extension Scheduler {
    /// The journal entry about a replaced request; nil when its launch has reached the limit of such entries.
    mutating func replacementLine(
        of old: PendingRequest,
        by new: PendingRequest,
        from launch: LaunchNumber?,
        at now: Moment
    ) -> JournalEntry? {
        journalTakesLine(of: \.replacements, in: launch) ? .replacement(of: old, by: new, at: now) : nil
    }

    /// The journal entry about a submitted request; nil when its launch has reached the limit of such entries.
    mutating func submissionLine(
        of request: PendingRequest,
        from launch: LaunchNumber?,
        at now: Moment
    ) -> JournalEntry? {
        guard journalTakesLine(of: \.submissions, in: launch) else { return nil }
        let message = "\(request.request.kind.name) request submitted by \(request.submitter.name)"
        return JournalEntry(request, .submitted, launch: launch, at: now, message: message)
    }

    /// The journal entry about a cancelled request; nil when its launch has reached the limit of such entries.
    mutating func cancellationLine(
        of request: PendingRequest,
        from launch: LaunchNumber?,
        at now: Moment
    ) -> JournalEntry? {
        guard journalTakesLine(of: \.cancellations, in: launch) else { return nil }
        let message = "submission \(request.number) was cancelled before it ran"
        return JournalEntry(request, .cancelled, at: now, message: message)
    }

    /// Counts a line; false beyond the limit. Calls of users and operators have no limit.
    private mutating func journalTakesLine(
        of lines: WritableKeyPath<Execution, BoundedLines>,
        in launch: LaunchNumber?
    ) -> Bool {
        guard let launch, launches.find(launch)?.execution != nil else { return true }
        return launches.execute(launch) { $0[keyPath: lines].take() } ?? true
    }

    /// One line with a count for each kind with omitted lines.
    func summaries(ofLinesOmittedFor launch: Launch, at now: Moment) -> [JournalEntry] {
        guard let execution = launch.execution else { return [] }
        let kinds: [(JournalEntry.Event, BoundedLines, String)] = [
            (.submitted, execution.submissions, "requests were submitted by this launch"),
            (.replaced, execution.replacements, "pending requests were replaced by submissions of this launch"),
            (.cancelled, execution.cancellations, "pending requests were cancelled by this launch"),
        ]
        return kinds.filter { $0.1.omitted > 0 }.map { event, lines, fact in
            JournalEntry(
                at: now.wall,
                event: event,
                plugin: launch.plugin,
                launch: launch.number,
                blame: .nobody,
                message: "\(lines.omitted) more \(fact); the journal has one line for each of the first \(lines.limit)",
                count: lines.omitted
            )
        }
    }
}
