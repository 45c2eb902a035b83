// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConfiguration
import HummingbirdCore
import SandboxPolicy
import Scheduling
import TaskLedger
import TaskModel

/// Builds the replies of the control API from the scheduler and the ledger. It makes no decisions.
struct ControlRoutes: Sendable {
    let scheduler: DecisionLoop
    let ledger: Ledger
    let threads: DiskThreads
    let catalogue: CatalogueKeeper
    let conditions: ConditionsKeeper
    let facts: HostFacts
    let ledgerHealth: LedgerHealth
    /// The caller of the current request; nil outside of a request.
    var caller: Peer?

    /// Sends an event to the scheduler on behalf of the caller, and returns the answer.
    func ask(_ event: (ReplyToken) -> SchedulerEvent) async -> Answer {
        guard let user = caller?.callingUser else { return await scheduler.ask(event) }
        return await scheduler.ask { .byUser(user, event($0)) }
    }

    func answer(_ route: Route, _ call: ControlCall) async throws -> Response {
        if route.readsCatalogue { try await catalogue.waitUntilLoaded() }
        return switch route {
        case .apiDescription: Response(yaml: APIDescription.text)
        case .hostStatus: Response(json: try await hostStatus())
        case .pluginList: Response(json: try await pluginList(PluginQuery(reading: call.query.value)))
        case .pluginShow: Response(json: try await plugin(call.value))
        case .pluginPurge: Response(json: try await purge(call.value))
        case .pluginTrigger:
            Response(json: try await trigger(call.value, call.decoded()), status: route.successStatus)
        case .taskSubmit: Response(json: try await submit(call.decoded()), status: route.successStatus)
        case .taskCancel: Response(json: try await cancel(call.value))
        case .taskStop: Response(json: try await stop(call.value))
        case .taskList: Response(json: try await taskList(TaskQuery(reading: call.query.value)))
        case .taskWhy: Response(json: try await why(call.value))
        case .launchList: Response(json: try await launchList(LaunchQuery(reading: call.query.value)))
        case .launchShow: Response(json: try await launch(call.value))
        case .journal: try await journal(journalQuery(call.query))
        case .run: Response(json: try await run(call.decoded()))
        case .simulateExpiration: Response(json: try await simulateExpiration(call.decoded()))
        case .simulateConditions: Response(json: try await simulateConditions(call.decoded()))
        }
    }

    /// Reads a value from the scheduler. Throws when the host has stopped.
    func read<Value: Sendable>(_ body: @escaping @Sendable (borrowing Scheduler, Moment) -> Value) async throws -> Value
    {
        if let value = await scheduler.read(body) { return value }
        throw RouteError(
            SubmissionRefusal(
                code: .unavailable,
                subReason: .hostStopping,
                message: "the host is stopping; try again after its restart"
            )
        )
    }

    /// Reads a value from the ledger on a disk thread. Failures are reported as errors of the host, never of the
    /// caller.
    func recorded<Value: Sendable>(_ read: @escaping @Sendable (Ledger) throws -> Value) async throws -> Value {
        do {
            return try await threads.run { [ledger] in try read(ledger) }
        } catch let error as LedgerError {
            throw RouteError(
                .ledgerUnreadable,
                "\(error)",
                remedy: "read the host's log, and check the disk of its state directory"
            )
        }
    }
}

extension Route {
    /// Whether the route itself waits for the first catalogue, before which every plugin would seem to be missing.
    /// Other routes do not wait: the scheduler parks their calls that depend on the catalogue, and lists are answered
    /// even before the first catalogue.
    fileprivate var readsCatalogue: Bool {
        switch self {
        case .pluginShow, .taskWhy, .simulateExpiration: true
        case .pluginPurge, .pluginTrigger, .taskSubmit, .taskCancel, .taskStop, .run: false
        case .apiDescription, .hostStatus, .pluginList, .taskList, .launchList, .launchShow, .journal,
            .simulateConditions:
            false
        }
    }
}

/// Facts about the host that do not change while it runs.
struct HostFacts: Sendable {
    let configuration: HostConfiguration
    let sandboxes: SandboxPolicy
    let startedAt: Moment
    let pid: Int32
    let user: String
}
