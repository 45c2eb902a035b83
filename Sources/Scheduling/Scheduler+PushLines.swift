// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The journal entries about accepted, replaced and lapsed pushes. Their number is bounded; see `PushLines`.
extension Scheduler {
    /// The changes that journal an accepted group of pushes, or that count it if the plugin has had enough entries.
    ///
    /// - Parameters:
    ///   - stored: the push that is stored; nil when it stores none.
    ///   - old: the waiting push that `stored` replaces; nil without one.
    /// - Returns: the changes, and the counts in them.
    mutating func journal(
        _ pushes: [NumberedPush],
        storing stored: NumberedPush?,
        replacing old: PendingRequest?,
        at now: Moment
    ) -> (changes: [LedgerChange], sums: [PushSum]) {
        guard let plugin = pushes.first?.request.plugin else { return ([], []) }
        let lapsed = pushes.filter(\.isLapsed)
        let valid = pushes.filter { !$0.isLapsed }
        let replaced = stored == nil ? [] : [old].compactMap(\.self) + valid.dropLast().map(\.request)
        if pushLines[plugin, default: PushLines(at: now.monotonic)].takeEntries(at: now.monotonic) {
            var entries = pushes.groupedByUser().compactMap { JournalEntry.acceptance(of: $0, at: now) }
            entries += JournalEntry.lapses(of: lapsed, at: now)
            if let stored, let entry = JournalEntry.replacement(ofPushes: replaced, by: stored, at: now) {
                entries.append(entry)
            }
            return (entries.map { LedgerChange.journal($0) }, [])
        }
        let sums = pushes.groupedByUser().compactMap { group -> PushSum? in
            guard let newest = group.last else { return nil }
            let user = newest.push.user
            return PushSum(
                user: user,
                accepted: group.count,
                replaced: stored?.push.user?.uid == user?.uid ? replaced.count : 0,
                lapsed: group.count { $0.isLapsed },
                last: newest.request.number
            )
        }
        return (sums.map { LedgerChange.countPushes(plugin, $0) }, sums)
    }

    /// Adds counts whose commit has succeeded. They get their journal entries at the end of the period of the first.
    mutating func note(_ sums: [PushSum], of plugin: PluginIdentifier, at now: Moment) {
        if sums.isEmpty { return }
        for sum in sums { pushLines[plugin, default: PushLines(at: now.monotonic)].add(sum) }
        if let end = pushLines[plugin]?.end { agenda.add(.pushLines(plugin), at: end) }
    }

    /// Takes up the counts that the last host left.
    mutating func restorePushSums(_ sums: [PluginIdentifier: [PushSum]], at now: Moment) {
        for (plugin, left) in sums {
            pushLines[plugin] = PushLines(at: now.monotonic, left: left)
            agenda.add(.pushLines(plugin), at: now.monotonic)
        }
    }

    /// Journals the counted pushes of the plugin.
    mutating func writePushLines(of plugin: PluginIdentifier, at now: Moment) {
        let sums = pushLines[plugin]?.takeSums() ?? []
        if let lines = pushLines[plugin], lines.end <= now.monotonic { pushLines[plugin] = nil }
        let changes = sums.flatMap { sum -> [LedgerChange] in
            let entries = JournalEntry.entries(about: sum, of: plugin, at: now)
            return entries.map { LedgerChange.journal($0) } + [.countPushes(plugin, sum.negated)]
        }
        if !changes.isEmpty { keep(changes) }
    }
}

// One commit may accept several pushes: its entries have their number.
extension JournalEntry {
    fileprivate func caused(by user: CallingUser?) -> JournalEntry {
        var entry = self
        entry.user = user
        return entry
    }

    /// The entries about counted pushes of one user.
    fileprivate static func entries(about sum: PushSum, of plugin: PluginIdentifier, at now: Moment) -> [JournalEntry] {
        func pushes(_ count: Int) -> String { count == 1 ? "1 more push" : "\(count) more pushes" }
        let rule = "only the first \(PushLines.limit) commits of a minute have an entry each"
        let facts: [(event: Event, count: Int, fact: String)] = [
            (.submitted, sum.accepted, "\(pushes(sum.accepted)), the newest of them \(sum.last), accepted"),
            (.lapsed, sum.lapsed, "\(pushes(sum.lapsed)) lapsed at the arrival"),
            (.replaced, sum.replaced, "\(pushes(sum.replaced)) replaced by a newer push before the start"),
        ]
        return facts.filter { $0.count > 0 }.map { row in
            JournalEntry(
                at: now.wall,
                event: row.event,
                plugin: plugin,
                label: TaskIdentifier.push(to: plugin).text,
                // The newest push may still wait: no other entry names it.
                submission: row.event == .submitted ? sum.last : nil,
                blame: .nobody,
                message: "\(row.fact); \(rule)",
                count: row.count,
                user: sum.user
            )
        }
    }

    /// The entries about pushes that lapse when they are accepted: at most one for each user and cause.
    fileprivate static func lapses(of pushes: [NumberedPush], at now: Moment) -> [JournalEntry] {
        pushes.groupedByUser().flatMap { group in
            let overdue = group.filter { $0.request.isOverdue(at: now.wall) }
            let delayed = group.filter { !$0.request.isOverdue(at: now.wall) }
            return [
                lapse(of: overdue, "the deadline passed before the start; set a later expires_at", at: now),
                lapse(of: delayed, "the push had to start at once and could not; send it without only_now", at: now),
            ].compactMap(\.self)
        }
    }

    /// The entry about lapsed pushes of one user; nil without pushes.
    private static func lapse(of pushes: [NumberedPush], _ cause: String, at now: Moment) -> JournalEntry? {
        guard let newest = pushes.last else { return nil }
        let message = "\(text(pushes)) lapsed: \(cause), or see with \"bgtask why\" which reasons delay such work"
        var entry = JournalEntry(newest.request, .lapsed, at: now, message: message)
        entry.count = pushes.count
        return entry.caused(by: newest.push.user)
    }

    /// The pushes with their numbers, as the subject of a message.
    private static func text(_ pushes: [NumberedPush]) -> String {
        guard let first = pushes.first?.request, let newest = pushes.last?.request else { return "no push" }
        if pushes.count == 1 { return "push \(first.number)" }
        return "\(pushes.count) pushes, from \(first.number) to \(newest.number),"
    }

    /// The entry about the pushes of one user; nil without pushes.
    fileprivate static func acceptance(of pushes: [NumberedPush], at now: Moment) -> JournalEntry? {
        guard let newest = pushes.last else { return nil }
        var entry = JournalEntry(newest.request, .submitted, at: now, message: "\(text(pushes)) accepted")
        entry.count = pushes.count
        return entry.caused(by: newest.push.user)
    }

    /// The entry about the pushes that a newer one replaced; nil without such pushes.
    fileprivate static func replacement(
        ofPushes replaced: [PendingRequest],
        by new: NumberedPush,
        at now: Moment
    ) -> JournalEntry? {
        guard let first = replaced.first, let last = replaced.last else { return nil }
        let pushes =
            replaced.count == 1
            ? "push \(first.number) was" : "\(replaced.count) pushes, from \(first.number) to \(last.number), were"
        var entry = JournalEntry(
            first,
            .replaced,
            at: now,
            message: "\(pushes) replaced by push \(new.request.number) before the start",
            successor: new.request.number
        )
        entry.count = replaced.count
        return entry.caused(by: new.push.user)
    }
}
