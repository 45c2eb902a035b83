// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConfiguration
import HummingbirdCore
import PluginLaunch
import SandboxPolicy
import Scheduling
import TaskLedger
import TaskModel

/// Builds the replies of the control API from the scheduler and the ledger. It makes no decisions.
struct ControlRoutes: Sendable {
    let loop: DecisionLoop
    let ledger: Ledger
    let threads: DiskThreads
    let catalogue: CatalogueKeeper
    let conditions: ConditionsKeeper
    let facts: HostFacts
    let ledgerHealth: LedgerHealth
    let metrics: MetricsKeeper
    let tokenGate: PushTokenGate
    let forecasts: ForecastQueue
    /// The caller of the current request; nil outside of a request.
    var caller: Peer?
    /// The role of the caller; nil outside of a request.
    var role: ControlRole?

    /// Sends an event to the scheduler on behalf of the caller, and returns the answer.
    func ask(_ event: (ReplyToken) -> SchedulerEvent) async -> Answer {
        guard let user = caller?.callingUser else { return await loop.ask(event) }
        return await loop.ask { .byUser(user, event($0)) }
    }

    /// Sends events to the scheduler on behalf of the caller, in order, and returns the answers in the same order.
    func ask(_ events: [@Sendable (ReplyToken) -> SchedulerEvent]) async -> [Answer] {
        guard let user = caller?.callingUser else { return await loop.ask(events) }
        return await loop.ask(events.map { event in { .byUser(user, event($0)) } })
    }

    func answer(_ call: ControlCall) async throws -> Response {
        let route = call.route
        if route.catalogueWait == .gate { try await catalogue.waitUntilLoaded() }
        return switch route {
        case .apiDescription: Response(yaml: APIDescription.text)
        case .hostStatus: Response(json: try await hostStatus())
        case .hostReload: Response(json: try await reload())
        case .backupReport: Response(json: try await recordBackup(call.decoded()))
        case .pluginList: Response(json: try await pluginList(PluginQuery(reading: call.query.value)))
        case .pluginShow: Response(json: try await plugin(call.value))
        case .pluginPurge: Response(json: try await purge(call.value))
        case .pluginTrigger:
            Response(json: try await trigger(call.value, call.decoded()), status: route.successStatus)
        case .pluginPush: Response(json: try await push(call.value, call.decoded()), status: route.successStatus)
        case .pushTokenIssue: Response(json: try await issueToken(call.value, call.decoded()))
        case .pushTokenRevoke: Response(json: try await revokeToken(call.value))
        case .pushTokenCheck: Response(json: try await checkToken(call.decoded()))
        case .pluginPause: Response(json: try await pause(call.value, call.decoded()))
        case .pluginResume: Response(json: try await resume(call.value))
        case .taskSubmit where try TaskSubmission.isDryRun(reading: call.query.value):
            Response(json: try await checkSubmission(call.decoded()))
        case .taskSubmit: Response(json: try await submit(call.decoded()), status: route.successStatus)
        case .taskSubmitBatch: Response(json: try await submit(try TaskBatch.reading(call.body)))
        case .taskCancel: Response(json: try await cancel(call.value, TaskCancelQuery(reading: call.query.value)))
        case .taskStop: Response(json: try await stop(call.value))
        case .taskRetry: Response(json: try await retry(call.value), status: route.successStatus)
        case .taskCursor: Response(json: try await cursor(call.value))
        case .taskCursorClear: Response(json: try await clearCursor(call.value))
        case .taskList: Response(json: try await taskList(TaskQuery(reading: call.query.value)))
        case .taskWhy: Response(json: try await why(call.value))
        case .scheduleList: Response(json: try await scheduleList(ScheduleQuery(reading: call.query.value)))
        case .launchList: Response(json: try await launchList(LaunchQuery(reading: call.query.value)))
        case .launchShow: Response(json: try await launch(call.value))
        case .launchStop: Response(json: try await stopLaunch(call.value))
        case .transferList: Response(json: try await transferList(TransferQuery(reading: call.query.value)))
        case .transferShow: Response(json: try await transfer(call.value))
        case .transferPause: Response(json: try await setTransferPaused(true, call.value))
        case .transferResume: Response(json: try await setTransferPaused(false, call.value))
        case .transferCancel: Response(json: try await cancelTransfer(call.value))
        case .leaseList: Response(json: try await leaseList())
        case .leaseShow: Response(json: try await lease(call.value))
        case .leaseRenew: Response(json: try await renewLease(call.value, call.decoded()))
        case .leaseDelete: Response(json: try await deleteLease(call.value))
        case .journal: try await journal(journalQuery(call.query))
        case .notificationList: try await notifications(NotificationQuery(reading: call.query.value))
        case .logs: try await logs(logQuery(call.query))
        case .stats: Response(json: try await statistics(statsQuery(call.query)))
        case .metrics: try await metrics(MetricsFormat(accepting: call.accept))
        case .run: Response(json: try await run(call.decoded()))
        case .simulateExpiration: Response(json: try await simulateExpiration(call.decoded()))
        case .simulateConditions: Response(json: try await simulateConditions(call.decoded()))
        case .forecast: Response(json: try await forecast(call.decoded()))
        case .capacity: Response(json: try await capacity())
        }
    }

    /// Reads a value from the scheduler. Throws when the host has stopped.
    func read<Value: Sendable>(_ body: @escaping @Sendable (borrowing Scheduler, Moment) -> Value) async throws -> Value
    {
        if let value = await loop.read(body) { return value }
        throw RouteError(.hostStopping())
    }

    /// Reads a value from the ledger on a disk thread. Failures are reported as errors of the host, never of the
    /// caller.
    func recorded<Value: Sendable>(_ read: @escaping @Sendable (Ledger) throws -> Value) async throws -> Value {
        do {
            return try await threads.run { [ledger] in try read(ledger) }
        } catch let error as LedgerError {
            if error.code == .closed { throw RouteError(.hostStopping()) }
            // The message of the ledger contains the remedy.
            throw RouteError(.ledgerUnreadable, "\(error)")
        }
    }
}

extension Route {
    /// The place where a call waits for the first catalogue, before which every plugin would seem to be missing.
    enum CatalogueWait: Hashable {
        /// `ControlRoutes.answer` waits for the catalogue before it reads anything for the call.
        case gate
        /// The scheduler parks the event of the call (`SchedulerEvent.dependentCall`).
        case park
        /// The call does not depend on single plugins. Lists are partial before the first catalogue.
        case none
    }

    var catalogueWait: CatalogueWait {
        switch self {
        // The scheduler parks neither a simulated expiration nor the stop of a launch, because every running task is
        // loaded, and no pause, because it does not depend on pending work.
        case .pluginShow, .pushTokenIssue, .pushTokenRevoke, .pluginPause, .pluginResume, .taskRetry, .taskCursor,
            .taskCursorClear, .taskWhy, .launchStop, .simulateExpiration, .forecast,
            .capacity:
            .gate
        case .pluginPurge, .pluginTrigger, .pluginPush, .taskSubmit, .taskSubmitBatch, .taskCancel, .taskStop,
            .transferPause, .transferResume, .transferCancel, .run:
            .park
        case .apiDescription, .hostStatus, .hostReload, .backupReport, .pluginList, .taskList, .scheduleList,
            .launchList, .launchShow, .transferList, .transferShow, .journal, .notificationList, .logs,
            .pushTokenCheck, .stats, .metrics, .simulateConditions, .leaseList, .leaseShow, .leaseRenew, .leaseDelete:
            .none
        }
    }
}

/// Facts about the host. Except for the configuration, they do not change while it runs.
struct HostFacts: Sendable {
    let keeper: ConfigurationKeeper
    let sandboxes: SandboxPolicy
    let users: UserKeeper
    let launcher: Launcher
    /// The mechanisms that limit the resources of launches.
    let limiting: LimitMechanisms
    let startedAt: Moment
    let pid: Int32
    let user: String
    /// The name of the machine's time zone at the start of the host; nil when it has none.
    let timeZone: String?
    /// The incarnation of the ledger.
    let incarnation: Int64

    /// The configuration in force.
    var configuration: HostConfiguration { keeper.current }
}
