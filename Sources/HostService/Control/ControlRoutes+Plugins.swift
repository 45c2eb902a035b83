// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConditions
import HostConfiguration
import PluginCatalog
import Scheduling
import TaskLedger
import TaskModel

// The catalogue, and the host itself.
extension ControlRoutes {
    func pluginList() async throws -> PluginListReply {
        let standings = try await read { scheduler, _ in
            scheduler.entries.map { PluginStanding($0, in: scheduler) }
        }
        let contents = catalog.contents
        let identifiers = standings.map(\.entry.identifier)
        let lasts = try await recorded { ledger in
            try identifiers.map { try ledger.launches(limit: 1, plugin: $0).first }
        }
        return PluginListReply(
            plugins: zip(standings, lasts).map { summary(of: $0, last: $1) },
            refused: contents.refused.map { refused in
                .init(
                    file: refused.file,
                    identifier: refused.identifier?.text,
                    problems: refused.problems.map(ManifestNote.init)
                )
            }
        )
    }

    func plugin(_ text: String) async throws -> PluginReply {
        let identifier = try PluginIdentifier(validating: text)
        let found = try await read { scheduler, now in
            scheduler.entry(of: identifier).map { entry in
                let waiting = scheduler.waitingEvents(of: identifier, at: now).map { event, reasons in
                    TaskListReply.Event(event, reason: reasons.first.map { WaitingReason($0, at: now) })
                }
                let toLoad = scheduler.librariesToLoad(by: identifier)
                let reasons = scheduler.reasons(againstAllOf: identifier)
                let schedules = scheduler.schedules(of: identifier)
                return (PluginStanding(entry, in: scheduler), toLoad, reasons, waiting, schedules, now)
            }
        }
        guard let (standing, toLoad, reasons, events, schedules, now) = found else {
            throw ControlRefusal.noSuchPlugin(text)
        }
        let scheduling = facts.configuration.scheduling
        let policy = scheduling.policy(for: identifier)
        let limits = policy.limits ?? scheduling.limits
        let budgets = policy.budgets ?? scheduling.budgets
        let last = try await recorded { try $0.launches(limit: 1, plugin: identifier).first }
        let requestLimits =
            standing.entry.role == .main
            ? TaskKind.limited.compactMap { kind in
                limits[kind].map { KindLimit(kind, limit: $0, used: standing.pending(kind)) }
            } : []
        return PluginReply(
            standing.entry,
            summary: summary(of: standing, last: last),
            librariesToLoad: toLoad,
            notes: catalog.contents.notes.filter { $0.file == standing.entry.manifestPath }.map(ManifestNote.init),
            limits: requestLimits + [KindLimit(.event, limit: scheduling.eventLimit, used: standing.events)],
            budgets: KindBudget.all(budgets),
            grace: policy.grace ?? scheduling.grace,
            spacing: policy.spacing ?? scheduling.spacing,
            batchSize: scheduling.batchSize,
            dayBudget: policy.dayBudget ?? scheduling.policies.dayBudget,
            isBackgroundRefreshOn: scheduling.isBackgroundRefreshOn && policy.isBackgroundRefreshOn,
            isBackgroundDenied: policy.isBackgroundDenied,
            schedules: schedules,
            retry: RetryRule(scheduling),
            retention: scheduling.removedPluginRetention,
            lastLaunch: last.map {
                .init($0.number, startedAt: $0.startedAt, outcome: $0.end?.outcome, message: $0.end?.message)
            },
            reasons: reasons.map { WaitingReason($0, at: now) },
            waitingEvents: events
        )
    }

    /// An empty list of a plugin that nobody knows would look like one that never ran.
    func launches(_ query: LaunchQuery) async throws -> LaunchListReply {
        let reply = try await launchList(query)
        guard reply.launches.isEmpty, let plugin = query.plugin else { return reply }
        let isKnown = try await read { scheduler, _ in scheduler.entry(of: plugin) != nil }
        if !isKnown { throw ControlRefusal.noSuchPlugin(plugin.text) }
        return reply
    }

    private func summary(of standing: PluginStanding, last: LaunchRecord?) -> PluginListReply.Summary {
        let isEnabled = facts.configuration.scheduling.policy(for: standing.entry.identifier).isEnabled
        let state: PluginListReply.State =
            !isEnabled
            ? .disabled : standing.hasLaunch ? .running : last?.end?.blame == .plugin ? .failing : .ready
        return PluginListReply.Summary(
            standing.entry,
            pending: standing.requests.count,
            events: standing.events,
            running: standing.running,
            isEnabled: isEnabled,
            state: state
        )
    }
}

extension RetryRule {
    init(_ scheduling: SchedulingConfiguration) {
        self.init(
            delay: scheduling.retryDelay,
            attempts: scheduling.attempts,
            hostDelay: scheduling.hostRetryDelay
        )
    }
}

/// One plugin and what it has to do, as the core sees it.
private struct PluginStanding: Sendable {
    let entry: PluginEntry
    let requests: [PendingRequest]
    /// Those that wait.
    let events: Int
    let running: Int
    /// An assertion may hold a launch of which no task runs.
    let hasLaunch: Bool

    init(_ entry: PluginEntry, in scheduler: borrowing Scheduler) {
        self.entry = entry
        requests = entry.role == .main ? scheduler.pendingRequests(of: entry.identifier) : []
        events = scheduler.pendingEvents.count { $0.plugin == entry.identifier }
        let launches = scheduler.runningLaunches.filter { $0.plan.plugin.identifier == entry.identifier }
        running = launches.reduce(0) { $0 + $1.unfinished.count }
        hasLaunch = !launches.isEmpty
    }

    /// Those that count against the kind's limit.
    func pending(_ kind: TaskKind) -> Int { requests.filter { $0.request.kind.countedAs == kind }.count }
}

extension TaskKind {
    /// Each limit once.
    static let limited: [TaskKind] = [.refresh, .processing, .continued]
}

extension KindBudget {
    /// A continued task has none.
    static func all(_ budgets: Budgets) -> [KindBudget] {
        TaskKind.allCases.compactMap { kind in budgets[kind].map { KindBudget(kind, budget: $0) } }
    }
}

extension Scheduler {
    fileprivate func schedules(of plugin: PluginIdentifier) -> [PluginReply.Schedule] {
        configuration.policy(for: plugin).schedules.sorted { $0.key < $1.key }.map { identifier, schedule in
            PluginReply.Schedule(
                identifier: identifier,
                kind: schedule.kind,
                rhythm: schedule.rhythm.text,
                next: nextOccasion(of: identifier, of: plugin)
            )
        }
    }
}
