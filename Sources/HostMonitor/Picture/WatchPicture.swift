// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

/// The lines of text that show a host. They depend only on the snapshot, the size, the style and the present time.
struct WatchPicture {
    let host: WatchedHost
    let style: PictureStyle
    private let now: WallTime
    /// The user's time zone and, as the present, the time of the snapshot: relative times refer to it.
    let reader: Reader

    init(_ host: WatchedHost, style: PictureStyle, reader: Reader) {
        self.host = host
        self.style = style
        now = reader.now
        self.reader = Reader(now: host.snapshot.takenAt, timeZone: reader.timeZone)
    }

    /// Minimum number of columns of the wide layout.
    static let wide = 76

    var snapshot: HostSnapshot { host.snapshot }

    func margin(columns: Int?) -> String { (columns ?? .max) < Self.wide ? "" : "  " }

    /// The lines of the picture, at most `columns` wide and `rows` many; nil for no limit.
    func lines(columns: Int?, rows: Int?) -> [String] {
        let sections = sections(columns: columns)
        return laidOut(sections, rows: rows).map { $0.text(columns: columns, style: style) }
    }

    private func sections(columns: Int?) -> [PictureSection] {
        let all = [
            runningSection(columns: columns), waitingSection(columns: columns), eventSection(columns: columns),
            recentSection(columns: columns),
        ]
        return all.compactMap { section in
            guard var section, !section.blocks.isEmpty else { return nil }
            if case .gone = host { section.blocks = section.blocks.map { $0.map { $0.toned(.faint) } } }
            return section
        }
    }

    // MARK: Height

    private func laidOut(_ sections: [PictureSection], rows: Int?) -> [PictureLine] {
        let top = [titleLine] + absenceLines + [conditionsLine]
        let airy = top + sections.flatMap { [PictureLine()] + $0.lines(rows: $0.height) }
        guard let rows, airy.count > rows else { return airy + idleLines(sections) }
        // With few rows, the lines that do not show work are left out first.
        let head = rows >= 8 ? top : [titleLine] + absenceLines.prefix(rows >= 5 ? 1 : 0)
        let shares = PictureSection.shares(of: rows - head.count, among: sections)
        let body = zip(sections, shares).flatMap { $0.lines(rows: $1) }
        return Array((head + body).prefix(rows))
    }

    private func idleLines(_ sections: [PictureSection]) -> [PictureLine] {
        let isIdle = sections.allSatisfy(\.isExtra)
        return isIdle ? [PictureLine(), PictureLine("nothing is pending or running", .faint)] : []
    }

    // MARK: The top

    /// The first line. The most important parts come first, because a narrow terminal cuts the line.
    private var titleLine: PictureLine {
        var line = PictureLine(time(now), .strong)
        if case .gone(let absence, _) = host {
            line.add("  no answer since \(time(absence.since))", .alarm)
            return line
        }
        let waiting = snapshot.pendingCount + snapshot.eventCount
        line.add("  \(snapshot.launches.count) running, \(waiting) waiting")
        if snapshot.host.isStopping { line.add("  the host is stopping", .alarm) }
        let age = max(.zero, now - snapshot.host.startedAt.wall)
        line.add("  host up \(Duration.seconds(age.components.seconds).humanReadable), \(snapshot.host.socket)", .faint)
        return line
    }

    private var absenceLines: [PictureLine] {
        guard case .gone(let absence, let last) = host else { return [] }
        return [PictureLine(absence.problem, .alarm)]
            + (absence.remedy.isEmpty ? [] : [PictureLine(absence.remedy)])
            + [PictureLine("the data below is from \(time(last.takenAt))", .faint)]
    }

    private func time(_ instant: WallTime) -> String { String(Timestamp(instant).localText(for: reader).suffix(8)) }

    /// The conditions in the order of display: first the conditions that delay work now, last the unknown conditions. A
    /// narrow terminal cuts the end of the line.
    private static func order(of conditions: ConditionsReply) -> [Condition] {
        func rank(_ condition: Condition) -> Int {
            if isTrouble(condition, conditions) { return 0 }
            return conditions[condition].holds == nil ? 2 : 1
        }
        return (0...2).flatMap { place in Condition.allCases.filter { rank($0) == place } }
    }

    private static func isTrouble(_ condition: Condition, _ conditions: ConditionsReply) -> Bool {
        conditions[condition].holds == true && condition.row.traits.contains(.trouble)
    }

    private var conditionsLine: PictureLine {
        var line = PictureLine()
        for condition in Self.order(of: snapshot.host.conditions) {
            let state = snapshot.host.conditions[condition]
            if line.width > 0 { line.add(", ", .faint) }
            line.add(condition.title + " ", .faint)
            line.add(state.brief, Self.isTrouble(condition, snapshot.host.conditions) ? .warning : .plain)
        }
        return line
    }
}

extension ConditionsReply.State {
    private var word: String { holds.map { $0 ? "yes" : "no" } ?? "?" }

    /// Whether the condition holds, as `yes`, `no`, or `?` for unknown. A simulated condition has the suffix
    /// ` (simulated)`.
    fileprivate var brief: String {
        switch source {
        case .simulated: word + " (simulated)"
        case .configuration, .sensor, .missing, .unwatched: word
        }
    }
}
