// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Testing

@testable import BackgroundTasks

@Suite("Constants of the Swift module equal the header's")
struct VocabularyTests {
    @Test func `constants of the Swift module for reasons, outcomes, events, causes and levels equal the header's`() {
        let reasons: [BGTask.ExpirationReason] = [
            .budget, .externalPowerLost, .networkLost, .notIdle, .stoppedByUser, .noProgress, .memoryPressure,
            .hostShutdown, .containerLocked, .leaseLost,
        ]
        #expect(
            reasons.map(\.rawValue) == [
                BGT_EXPIRED_BUDGET, BGT_EXPIRED_EXTERNAL_POWER_LOST, BGT_EXPIRED_NETWORK_LOST, BGT_EXPIRED_NOT_IDLE,
                BGT_EXPIRED_STOPPED_BY_USER, BGT_EXPIRED_NO_PROGRESS, BGT_EXPIRED_MEMORY_PRESSURE,
                BGT_EXPIRED_HOST_SHUTDOWN, BGT_EXPIRED_CONTAINER_LOCKED, BGT_EXPIRED_LEASE_LOST,
            ]
        )
        let outcomes: [BGTask.Outcome] = [.success, .failure, .noData]
        #expect(outcomes.map(\.rawValue) == [BGT_OUTCOME_SUCCESS, BGT_OUTCOME_FAILURE, BGT_OUTCOME_NO_DATA])
        let events: [BackgroundEvent.Kind] = [.started, .trigger, .fetch, .push, .transfersFinished, .notification]
        let numbers = [
            BGT_EVENT_STARTED, BGT_EVENT_TRIGGER, BGT_EVENT_FETCH, BGT_EVENT_PUSH, BGT_EVENT_TRANSFERS_FINISHED,
            BGT_EVENT_NOTIFICATION,
        ]
        #expect(events.map(\.rawValue) == numbers)
        let causes: [BackgroundPlugin.Launch.Cause] = [.due, .user, .event, .relaunch]
        #expect(causes.map(\.rawValue) == [BGT_CAUSE_DUE, BGT_CAUSE_USER, BGT_CAUSE_EVENT, BGT_CAUSE_RELAUNCH])
        let levels: [BackgroundPlugin.LogLevel] = [.debug, .info, .warning, .error]
        #expect(levels.map(\.rawValue) == [BGT_LOG_DEBUG, BGT_LOG_INFO, BGT_LOG_WARNING, BGT_LOG_ERROR])
    }

    @Test func `titles of the Swift module are cut to the header's maximum at a whole character`() {
        let limit = Int(BGTASK_TITLE_MAX)
        #expect(HostText.title(String(repeating: "a", count: limit)).utf8.count == limit)
        let long = HostText.title(String(repeating: "ü", count: limit))
        #expect(long.utf8.count == limit - 1 && long.allSatisfy { $0 == "ü" })
        #expect(HostText.title("one\0two") == "onetwo")
    }
}
