// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension WatchPicture {
    private static let ready = "may run now"

    func waitingSection(columns: Int?) -> PictureSection? {
        let pending = snapshot.tasks.pending
        return PictureSection(
            heading: "WAITING \(snapshot.pendingCount)",
            count: snapshot.pendingCount,
            blocks: rows(
                pending.map { (Subject.text($0.identifier, of: $0.plugin), $0.kind, $0.failedAttempts, $0.reason) },
                columns
            )
        )
    }

    func eventSection(columns: Int?) -> PictureSection? {
        let events = snapshot.tasks.events
        return PictureSection(
            heading: "EVENTS \(snapshot.eventCount)",
            count: snapshot.eventCount,
            blocks: rows(events.map { ($0.plugin, $0.eventName, $0.attempts, $0.reason) }, columns)
        )
    }

    /// The rows of waiting work, one per item: name, kind, first reason for waiting with its end, failed attempts, and
    /// the message if it fits. A narrow terminal omits the kind.
    private func rows(
        _ work: [(name: String, kind: String, attempts: Int, reason: WaitingReason?)],
        _ columns: Int?
    ) -> [[PictureLine]] {
        let isNarrow = (columns ?? .max) < Self.wide
        let margin = margin(columns: columns)
        let codes = work.map { ($0.reason?.code ?? Self.ready).count }.max() ?? 0
        let room = columns.map { isNarrow ? max($0 / 2 - 2, $0 - codes - 2) : $0 - 40 } ?? .max
        let name = min(room, work.map(\.name.count).max() ?? 0)
        let kind = work.map(\.kind.count).max() ?? 0
        return work.map { work in
            var line = PictureLine(margin + work.name.endFitted(to: name, mark: style.mark).padded(to: name) + "  ")
            if !isNarrow { line.add(work.kind.padded(to: kind) + "  ", .faint) }
            if let reason = work.reason {
                line.add(reason.code, .warning)
                line.add(reason.until.map { " \($0.relativeText(for: reader))" } ?? "")
            } else {
                line.add(Self.ready, .fine)
            }
            if work.attempts > 0 { line.add("  failed \(work.attempts)x", .alarm) }
            line.add(work.reason.map { "  \($0.message)" } ?? "", .faint)
            return [line]
        }
    }

    /// The section with the newest journal entries, newest first; without blocks when there are no entries.
    func recentSection(columns: Int?) -> PictureSection? {
        let entries = snapshot.journal.entries.reversed()
        let event = entries.map(\.event.count).max() ?? 0
        let blocks = entries.map { entry in
            var line = PictureLine(margin(columns: columns) + entry.at.briefText(for: reader) + "  ", .faint)
            let isTrouble = entry.blame != Blame.nobody.rawValue && entry.blame != Blame.user.rawValue
            line.add(entry.event.padded(to: event), isTrouble ? .alarm : .plain)
            line.add("  " + Subject.text(ofEntryAbout: entry.task, of: entry.plugin))
            line.add(entry.message.isEmpty ? "" : "  \(entry.message)", .faint)
            return [line]
        }
        return PictureSection(heading: "LATELY", blocks: blocks, isExtra: true)
    }
}
