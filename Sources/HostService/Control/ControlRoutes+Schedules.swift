// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginCatalogue
import Scheduling
import TaskLedger
import TaskModel

// The list of schedules, in pages.
extension ControlRoutes {
    /// A page of the schedules that match the query. The decision loop returns every schedule, a few per turn, because
    /// the order of the list is that of the next occurrences, which each occurrence changes. Only the schedules of the
    /// page are looked up in the ledger.
    func scheduleList(_ query: ScheduleQuery) async throws -> ScheduleListReply {
        var isPartial = !catalogue.isLoaded
        var following: [ScheduleListing] = []
        var last: ScheduledTask?
        var moment: Moment
        repeat {
            let (start, plugin) = (last, query.plugin)
            let page: SchedulePage
            (page, moment) = try await read { scheduler, now in
                (scheduler.schedulePage(after: start, limit: Self.itemsPerTurn, of: plugin), now)
            }
            following += page.listings.filter { listing in query.after.map { $0 < listing.cursor } ?? true }
            isPartial = isPartial || page.isPartial
            last = page.next
            if last == nil, page.listings.isEmpty, start == nil, let plugin { try await requireInstalled(plugin) }
        } while last != nil
        let sorted = following.sorted { $0.cursor < $1.cursor }
        let listings = sorted.prefix(query.limit)
        return ScheduleListReply(
            schedules: try await schedules(Array(listings), at: moment),
            next: sorted.count > query.limit ? listings.last?.cursor : nil,
            isPartial: isPartial
        )
    }

    /// The schedules with the last runs and outcomes from the ledger.
    private func schedules(
        _ listings: [ScheduleListing],
        at now: Moment
    ) async throws -> [ScheduleListReply.Schedule] {
        let records = try await recorded { ledger in
            try listings.map { listing in
                let label = listing.task.identifier.text
                let outcome = JournalSelection(
                    filter: JournalFilter(label: label),
                    outcomesOnly: true,
                    newestFirst: true,
                    limit: 1
                )
                return (outcome: try ledger.journal(outcome).first, run: try ledger.pendingSpan(ofNewestTask: label))
            }
        }
        return zip(listings, records).map { listing, record in
            ScheduleListReply.Schedule(
                plugin: listing.task.plugin,
                identifier: listing.task.identifier,
                kind: listing.kind,
                rhythm: listing.rhythm,
                state: .init(listing.state),
                next: listing.next,
                problem: listing.obstacle.map { problem($0, of: listing.task, at: now) },
                lastRun: listing.runningSince ?? record.run?.until,
                lastOutcome: record.outcome.map(TaskWhyReply.LastOutcome.init)
            )
        }
    }

    /// The reason that blocks every occurrence of a schedule. The remedy for an identifier that the manifest does not
    /// permit suggests the nearest permitted one.
    func problem(_ reason: Reason, of task: ScheduledTask, at now: Moment) -> WaitingReason {
        var remedy = reason.remedy
        if case .identifierNotPermitted = reason {
            let names = catalogue.contents.entry(for: task.plugin)?.taskNames ?? []
            let nearest = NearestWord.to(task.identifier.text, among: Array(names.prefix(Self.mostNames)))
            remedy =
                nearest.map { NearestWord.remedy(nearest: $0, meaning: "task") + ", or permit it in the manifest" }
                ?? remedy
        }
        return WaitingReason(
            code: reason.code,
            message: reason.message,
            until: reason.end(at: now),
            remedy: remedy
        )
    }
}

extension ScheduleListReply.State {
    fileprivate init(_ state: ScheduleListing.State) {
        self =
            switch state {
            case .idle: .idle
            case .pending: .pending
            case .running: .running
            case .blocked: .blocked
            }
    }
}

extension ScheduleListing {
    fileprivate var cursor: ScheduleCursor {
        ScheduleCursor(next: next, plugin: task.plugin, identifier: task.identifier)
    }
}
