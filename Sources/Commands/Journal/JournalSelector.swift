// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel

/// A selection of journal entries. Each empty list selects everything.
///
/// The host selects by all values that one call may have. For several plugins, launches, tasks or causes of blame there
/// is one call for each combination, so that the host refuses an unknown name. The time of the end and the text are
/// compared here.
struct JournalSelector: Hashable, Sendable {
    var plugins: [PluginIdentifier] = []
    var launches: [LaunchNumber] = []
    var labels: [String] = []
    var events: Set<JournalEntry.Event> = []
    var blames: [Blame] = []
    var since: WallTime?
    var until: WallTime?
    /// Whether only entries with a claim are selected.
    var hasClaim = false
    /// The text that an entry contains, in small letters; nil for any.
    var text: String?

    /// Maximum number of calls for one list.
    static let mostFilters = 100

    /// The filters of the host whose entries together are the selected ones.
    var filters: [JournalFilter] {
        var filters = [commonFilter]
        func vary<Value>(_ key: WritableKeyPath<JournalFilter, Value?>, _ values: [Value]) {
            if values.isEmpty { return }
            filters = filters.flatMap { filter in
                values.map { value in
                    var filter = filter
                    filter[keyPath: key] = value
                    return filter
                }
            }
        }
        vary(\.plugin, plugins)
        vary(\.launch, launches)
        vary(\.label, labels)
        vary(\.blame, blames)
        return filters
    }

    /// The number of filters, without creating them.
    var filterCount: Int {
        [plugins.count, launches.count, labels.count, blames.count].reduce(1) { product, count in
            min(Self.mostFilters + 1, product * max(1, min(count, Self.mostFilters + 1)))
        }
    }

    /// The newest selected entries, oldest first.
    func entries(of client: ControlClient, limit: Int) async throws -> JournalReply {
        var (entries, last): ([JournalLine], Int64) = ([], 0)
        for filter in filters {
            let reply = try await client.journal(limit: limit, filter: filter, where: isWithin)
            entries += reply.entries
            // The earlier calls lack entries that were written since: the stream of new entries has to start after the
            // lowest number.
            last = last == 0 ? reply.last : min(last, reply.last)
        }
        let newest = entries.sorted { $0.number < $1.number }.suffix(limit)
        return JournalReply(entries: Array(newest), last: last)
    }

    /// The filter for the stream of new entries, which `selects` narrows.
    var streamFilter: JournalFilter { filters.count == 1 ? filters[0] : commonFilter }

    /// The filter by the values that every call has.
    private var commonFilter: JournalFilter { JournalFilter(events: events, since: since, hasClaim: hasClaim) }

    func selects(_ line: JournalLine) -> Bool {
        (plugins.isEmpty || plugins.contains { $0.text == line.plugin })
            && (launches.isEmpty || launches.contains { $0.rawValue == line.launch })
            && (labels.isEmpty || line.task.map(labels.contains) == true)
            && (blames.isEmpty || blames.contains { $0.rawValue == line.blame }) && isWithin(line)
    }

    /// Whether the entry has the text and lies before the end.
    private func isWithin(_ line: JournalLine) -> Bool {
        if let until, line.at.wall >= until { return false }
        guard let text else { return true }
        let parts = [line.event, line.plugin, line.task, line.message]
        return parts.contains { $0?.lowercased().contains(text) == true }
    }
}
