// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import Testing

@testable import HostService
@testable import Scheduling

@Suite("A call about single plugins waits for the first catalogue, in its route or in the scheduler")
struct CatalogueWaitTests {
    private static let token = ReplyToken(rawValue: 1)

    /// The event that a call of the route sends to the scheduler; nil for the routes that only read, and for the
    /// simulation of conditions.
    private static func event(of route: Route) throws -> SchedulerEvent? {
        let plugin = try #require(PluginIdentifier("com.example.app"))
        let task = try #require(TaskIdentifier("com.example.app.task"))
        return switch route {
        case .pluginPurge: .purgeRequested(plugin, reply: token)
        case .pluginTrigger: .triggered(Trigger(plugin: plugin, payload: []), reply: token)
        case .pluginPush: .pushed(Push(to: plugin), reply: token)
        case .pluginPause: .pauseRequested(plugin, until: nil, reply: token)
        case .pluginResume: .resumeRequested(plugin, reply: token)
        case .launchStop: .launchStopRequested(LaunchNumber(rawValue: 1), reply: token)
        case .taskSubmit, .taskSubmitBatch:
            .submitted(
                Submission(request: TaskRequest(identifier: task, kind: .refresh), submitter: .user),
                reply: token
            )
        case .taskCancel: .cancelRequested(task, of: nil, from: nil, reply: token)
        case .taskStop: .taskStopRequested(task, reply: token)
        case .transferPause, .transferResume:
            .transferPauseRequested(
                .transfer(SubmissionNumber(rawValue: 1), of: plugin),
                isPaused: route == .transferPause,
                reply: token
            )
        case .transferCancel:
            .cancelRequested(.transfer(SubmissionNumber(rawValue: 1), of: plugin), of: plugin, reply: token)
        case .taskCursorClear:
            PluginIdentifier("com.example.app").map { .cursorClearRequested(task, of: $0, reply: token) }
        case .pushTokenRevoke: .pushTokenChangeRequested(plugin, .revoke, reply: token)
        case .leaseRenew: .leaseRenewed(LeaseRenewal("fleet", owner: 1, trust: .lasting(.seconds(1))), reply: token)
        case .leaseDelete: .leaseDeletionRequested("fleet", owner: nil, reply: token)
        case .run: .runRequested([task], reply: token)
        case .simulateExpiration: .expirationSimulated(task, reply: token)
        case .apiDescription, .hostStatus, .hostReload, .backupReport, .pluginList, .pluginShow, .pushTokenIssue,
            .pushTokenCheck, .taskList, .taskRetry, .taskCursor, .taskWhy, .scheduleList, .launchList,
            .launchShow, .transferList, .transferShow, .journal, .notificationList, .logs, .stats, .metrics,
            .simulateConditions, .forecast, .capacity, .leaseList, .leaseShow:
            nil
        }
    }

    @Test(arguments: Route.allCases)
    func `exactly the events of routes whose catalogueWait is park wait in the scheduler for the first catalogue`(
        _ route: Route
    ) throws {
        let isParked = try Self.event(of: route)?.dependentCall != nil
        #expect(isParked == (route.catalogueWait == .park))
    }
}
