// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConditions
import HostConfiguration
import LocatedYAML
import PluginCatalogue
import RunnerWire
import SandboxPolicy
import Scheduling
import TaskLedger
import TaskModel

// Replies about a single plugin.
extension ControlRoutes {
    func plugin(_ text: String) async throws -> PluginReply {
        let identifier = try PluginIdentifier(validating: text)
        let found = try await read { scheduler, now in
            scheduler.summary(of: identifier).map { summary in
                PluginState(of: identifier, as: summary, in: scheduler, at: now)
            }
        }
        guard let found else { throw noSuchPlugin(identifier) }
        let (summary, now) = (found.summary, found.now)
        let scheduling = facts.configuration.scheduling
        let policy = scheduling.policy(for: identifier)
        let limits = policy.limits ?? scheduling.limits
        let budgets = policy.budgets ?? scheduling.budgets
        let (last, isFailing) = try await recorded { ledger in
            (try ledger.launches(limit: 1, plugin: identifier).first, try !ledger.failing(among: [identifier]).isEmpty)
        }
        let requestLimits =
            summary.entry.role == .main
            ? TaskKind.limited.compactMap { kind in
                limits[kind].map { KindLimit(kind, limit: $0, used: summary.pendingByLimit[kind] ?? 0) }
            } : []
        return PluginReply(
            summary.entry,
            summary: listed(summary, isFailing: isFailing),
            librariesToLoad: found.librariesToLoad,
            secrets: summary.entry.secrets.map { key in
                .init(setting: key, source: facts.configuration.secrets[identifier]?[key]?.text)
            },
            grants: GrantsInForce(of: summary.entry, under: facts),
            notes: catalogue.contents.notes.filter { $0.file == summary.entry.manifestPath }.map(ManifestNote.init),
            limits: requestLimits + [KindLimit(.event, limit: scheduling.eventLimit, used: summary.eventCount)],
            budgets: KindBudget.all(budgets),
            gracePeriod: policy.gracePeriod ?? scheduling.gracePeriod,
            spacing: policy.spacing ?? scheduling.spacing,
            batchSize: scheduling.batchSize,
            dayBudget: policy.dayBudget ?? scheduling.policies.dayBudget,
            isBackgroundRefreshOn: scheduling.isBackgroundRefreshOn && policy.isBackgroundRefreshOn,
            isBackgroundDenied: policy.isBackgroundDenied,
            schedules: found.schedules,
            retry: RetryRule(scheduling),
            failureRetries: policy.retries.listings(of: summary.entry).map {
                FailureRetryReply($0.identifier, proposed: $0.proposed, inForce: $0.inForce)
            },
            retention: scheduling.removedPluginRetention,
            lastLaunch: last.map {
                .init($0.number, startedAt: $0.startedAt, outcome: $0.end?.outcome, message: $0.end?.message)
            },
            reasons: found.reasons.map { WaitingReason($0, at: now) },
            waitingEvents: found.events.items.compactMap { TaskListReply.Event($0, at: now) }
        )
    }

    /// The summary of a plugin for replies.
    ///
    /// - Parameter isFailing: whether the plugin is to blame for the end of its newest launch, or for an outcome in it.
    func listed(_ summary: PluginSummary, isFailing: Bool) -> PluginListReply.Summary {
        let scheduling = facts.configuration.scheduling
        let isEnabled = scheduling.policy(for: summary.entry.identifier).isEnabled
        // An extension is not launched while its main plugin cannot be.
        let isMainEnabled = summary.entry.containingPlugin.map { scheduling.policy(for: $0).isEnabled } ?? true
        let state: PluginListReply.State =
            if !isEnabled || !isMainEnabled {
                .disabled
            } else if summary.isPaused {
                .paused
            } else if summary.hasLaunch {
                .running
            } else {
                isFailing ? .failing : .ready
            }
        return PluginListReply.Summary(
            summary.entry,
            pending: summary.pendingCount,
            events: summary.eventCount,
            running: summary.runningCount,
            isEnabled: isEnabled,
            state: state,
            pause: summary.pause
        )
    }
}

extension GrantsInForce {
    fileprivate init(of plugin: PluginEntry, under facts: HostFacts) {
        let rights = facts.sandboxes.grants(of: plugin).map { GrantsInForce.Right($0, under: facts.sandboxes) }
        let relevant: [Guarantee] = [.files, .network, .descendants, .memory, .processes]
        let guarantees = IsolationInForce(facts).guarantees.filter { guarantee in
            relevant.contains { $0.rawValue == guarantee.name }
        }
        let limits = plugin.limits.bounded(by: facts.configuration.launchLimits)
        let user = facts.users.user(of: plugin.containingPlugin ?? plugin.identifier)
        self.init(rights, guarantees: guarantees, user: user, limits: limits)
    }
}

extension GrantsInForce.Right {
    /// Creates the reply about a grant. Its effective values omit each path that overlaps a path of the host.
    fileprivate init(_ grant: LimitedGrant, under policy: SandboxPolicy) {
        var effective =
            grant.isRefused || !grant.places.isEmpty ? [] : grant.ports?.phrases ?? [grant.requested]
        var causes = grant.narrowings + (grant.lackingMechanism.map { ["isolation is required, and \($0)"] } ?? [])
        for place in grant.places.isEmpty ? [] : SandboxPolicy.places(of: grant) {
            if let host = policy.reservation(of: place) {
                causes.append("\(place.path) overlaps \(host), which belongs to the host")
            } else {
                effective.append(place.path)
            }
        }
        self.init(
            grant: grant.name.key,
            requested: grant.requested,
            setting: grant.setting,
            effective: effective,
            cause: causes.isEmpty ? nil : causes.joined(separator: "; "),
            notEnforced: effective.isEmpty || policy.isolation == .off ? nil : policy.excess(of: grant)
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

/// The state of one plugin in the scheduler, read in one turn of the decision loop.
private struct PluginState: Sendable {
    let summary: PluginSummary
    let librariesToLoad: Set<String>
    let reasons: [Reason]
    /// The first page of waiting events, oldest first.
    let events: WaitingPage
    let schedules: [PluginReply.Schedule]
    let now: Moment

    init(of plugin: PluginIdentifier, as summary: PluginSummary, in scheduler: borrowing Scheduler, at now: Moment) {
        self.summary = summary
        self.now = now
        librariesToLoad = scheduler.librariesToLoad(by: plugin)
        reasons = scheduler.reasons(againstAllOf: plugin)
        events = scheduler.waitingPage(
            after: nil,
            limit: PageLimit.standard,
            matching: WorkFilter(plugin: plugin, kinds: [.event]),
            at: now
        )
        schedules = scheduler.schedules(of: plugin)
    }
}

extension TaskKind {
    /// The kinds whose pending requests have a limit, one kind per limit. Health research counts as processing.
    static let limited: [TaskKind] = [.refresh, .processing, .continued, .transfer]
}

extension KindBudget {
    /// The budgets of all kinds that have a budget. Continued tasks have none.
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
                rhythm: schedule.rhythm.text(in: timeZones),
                next: nextOccurrence(of: identifier, of: plugin)
            )
        }
    }
}
