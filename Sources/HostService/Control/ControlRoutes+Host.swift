// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConditions
import HostConfiguration
import PluginCatalogue
import PluginLaunch
import SandboxPolicy
import Scheduling
import Signatures
import TaskLedger
import TaskModel

// The status of the host and every setting in force.
extension ControlRoutes {
    func hostStatus() async throws -> HostStatusReply {
        let configuration = facts.configuration
        let scheduling = configuration.scheduling
        let contents = catalogue.contents
        let failure = ledgerHealth.failure
        let turn = try await read { scheduler, _ in Turn(scheduler) }
        return HostStatusReply(
            pid: facts.pid,
            user: facts.user,
            startedAt: facts.startedAt.wall,
            boot: facts.startedAt.boot,
            timeZone: facts.timeZone,
            stateDirectory: configuration.stateDirectory,
            ledger: failure.map { .failing(since: $0.since, error: $0.message) } ?? .writable,
            incarnation: facts.incarnation,
            diskShortage: turn.diskShortage,
            socket: configuration.controlSocket,
            socketGroups: configuration.socketGroups.names,
            manifestDirectories: [configuration.operatorManifests, configuration.packageManifests],
            pluginDirectory: configuration.pluginDirectory,
            configurationFile: configuration.file,
            configuredWithoutPlugin: configuration.configuredWithoutPlugin(isInstalled: contents.contains),
            conditions: conditions.inForce,
            sensors: SensorsInForce(configuration.sensors),
            counts: .init(
                plugins: turn.installed,
                refused: contents.refused.count,
                pending: turn.pending,
                events: turn.events,
                runningLaunches: turn.running.count + turn.stopping.count
            ),
            limits: TaskKind.limited.compactMap { kind in
                scheduling.limits[kind].map { KindLimit(kind, limit: $0) }
            } + [KindLimit(.event, limit: scheduling.eventLimit)],
            budgets: KindBudget.all(scheduling.budgets),
            launchLimits: Lane.allCases.map { lane in
                LaneLimit(
                    lane,
                    limit: scheduling.launchLimit(in: lane),
                    running: turn.running.filter { $0 == lane }.count,
                    stopping: turn.stopping.filter { $0 == lane }.count
                )
            },
            idleRunners: IdleRunnersInForce(limit: configuration.idleRunners, waiting: facts.launcher.idleRunners),
            gracePeriod: scheduling.gracePeriod,
            spacing: scheduling.spacing,
            batchSize: scheduling.batchSize,
            idleTimeout: configuration.idleTimeout,
            retry: RetryRule(scheduling),
            retention: Retention(
                removedPlugin: scheduling.removedPluginRetention,
                journal: configuration.journalRetention,
                journalBytes: configuration.journalSize,
                doubt: scheduling.clockDoubt
            ),
            logs: LogsInForce(
                launch: configuration.logs.launch,
                plugin: configuration.logs.plugin,
                total: configuration.logs.total,
                retention: configuration.logs.retention
            ),
            policies: PoliciesInForce(scheduling.policies),
            isolation: IsolationInForce(facts, missingGroup: loop.launcher.missingGroup),
            provenance: ProvenanceInForce(configuration.provenance),
            continued: ContinuedRule(
                stallLimit: scheduling.stallLimit,
                pressureInterval: scheduling.pressureInterval
            ),
            minimumFetchInterval: scheduling.minimumFetchInterval,
            isBackgroundRefreshOn: scheduling.isBackgroundRefreshOn,
            isStopping: turn.isStopping
        )
    }
}

/// The values that the decision loop returns for the status of the host. The reply is built outside of its thread,
/// because a part of the reply grows with the configuration.
private struct Turn: Sendable {
    let installed: Int
    let pending: Int
    let events: Int
    /// The lane of each launch with an unfinished task or an open assertion.
    let running: [Lane]
    /// The lane of each launch whose tasks and assertions have ended, and whose process still exists.
    let stopping: [Lane]
    let isStopping: Bool
    let diskShortage: String?

    init(_ scheduler: borrowing Scheduler) {
        installed = scheduler.installedCount
        pending = scheduler.pendingCount
        events = scheduler.waitingEventCount
        let launches = scheduler.runningLaunches
        running = launches.filter { !$0.isStopping }.map(\.lane)
        stopping = launches.filter(\.isStopping).map(\.lane)
        isStopping = scheduler.isStopping
        diskShortage = scheduler.diskShortage?.words
    }
}

extension ProvenanceInForce {
    fileprivate init(_ policy: ProvenancePolicy) {
        self.init(
            unsigned: policy.unsigned.rawValue,
            unpinned: policy.unpinned.rawValue,
            packages: policy.packages.rawValue,
            signers: policy.signers,
            revoked: policy.revoked
        )
    }
}

extension IsolationInForce {
    /// Creates the isolation for replies: the operator's choice, and for each guarantee whether this machine enforces
    /// it.
    ///
    /// - Parameter missingGroup: the reason why the last started launch has no control group; nil for none.
    init(_ facts: HostFacts, missingGroup: String? = nil) {
        let policy = facts.sandboxes
        var limiting = facts.limiting
        limiting.missingGroup = missingGroup
        let guarantees = Guarantee.allCases.map { guarantee in
            switch guarantee.enforcement(policy.isolation, policy.mechanisms, limiting: limiting) {
            case .enforced(let mechanism): GuaranteeInForce(guarantee.rawValue, enforcedBy: mechanism)
            case .notEnforced(let reason): GuaranteeInForce(guarantee.rawValue, notEnforced: reason)
            }
        }
        self.init(
            policy.isolation,
            required: policy.required,
            guarantees,
            users: PluginUsersInForce(facts.users.users),
            limits: LaunchLimitsInForce(
                facts.configuration.launchLimits,
                diskReserve: facts.configuration.scheduling.diskReserve.most,
                nice: facts.configuration.backgroundNice
            ),
            grantLimits: facts.configuration.grantLimits
        )
    }
}

extension PluginUsersInForce {
    fileprivate init(_ users: PluginUsers) {
        switch users {
        case .own(let range): self.init(range: range, reason: nil)
        case .hostUser(let reason): self.init(range: nil, reason: reason)
        }
    }
}

extension SensorsInForce {
    fileprivate init(_ thresholds: ConditionThresholds) {
        var (numbers, durations): ([String: Int], [String: Duration]) = ([:], [:])
        for row in ConditionThresholds.rows {
            switch row.value {
            case .percent(let paths):
                numbers[row.key] = paths.first.map { Int((thresholds[keyPath: $0] * 100).rounded()) }
            case .degrees(let path): numbers[row.key] = Int(thresholds[keyPath: path])
            case .duration(let path, _): durations[row.key] = thresholds[keyPath: path]
            }
        }
        self.init(numbers: numbers, durations: durations)
    }
}

extension PoliciesInForce {
    init(_ policies: PolicyConfiguration) {
        self.init(
            off: policies.off.map(\.rawValue).sorted(),
            stagger: policies.stagger,
            refreshSpacing: policies.kindSpacing[.refresh] ?? .zero,
            pushSpacing: policies.kindSpacing[.push] ?? .zero,
            overrunSpacing: policies.overrunSpacing,
            longestSpacing: policies.longestSpacing,
            learnsUse: policies.learnsUse,
            dayBudget: policies.dayBudget,
            maximumDeferral: policies.maximumDeferral,
            maximumCapacityWait: policies.maximumCapacityWait
        )
    }
}
