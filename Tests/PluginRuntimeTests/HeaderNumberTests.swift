// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import TaskModel
import Testing

// The host sends its numbers to plugins unchanged.
@Suite("The numbers of the host's types equal the header's")
struct HeaderNumberTests {
    @Test func `the host's expiration reasons have the numbers of the header`() {
        let numbers = (0...64).compactMap { ExpirationReason(rawValue: $0)?.rawValue }
        #expect(
            numbers == [
                BGT_EXPIRED_BUDGET, BGT_EXPIRED_EXTERNAL_POWER_LOST, BGT_EXPIRED_NETWORK_LOST, BGT_EXPIRED_NOT_IDLE,
                BGT_EXPIRED_STOPPED_BY_USER, BGT_EXPIRED_NO_PROGRESS, BGT_EXPIRED_MEMORY_PRESSURE,
                BGT_EXPIRED_HOST_SHUTDOWN, BGT_EXPIRED_CONTAINER_LOCKED, BGT_EXPIRED_LEASE_LOST,
            ]
        )
    }

    @Test func `the host's kinds, lanes, roles, causes and events have the numbers of the header`() {
        let kinds = [
            BGT_KIND_REFRESH, BGT_KIND_PROCESSING, BGT_KIND_HEALTH_RESEARCH, BGT_KIND_CONTINUED, BGT_KIND_EVENT,
        ]
        #expect(TaskKind.ofABI.map(\.rawValue) == kinds)
        #expect(Set(TaskKind.allCases).subtracting(TaskKind.ofABI) == [.push, .transfer])
        #expect(Lane.ofABI.map(\.rawValue) == [BGT_LANE_BACKGROUND, BGT_LANE_EVENT, BGT_LANE_CONTINUED])
        #expect(PluginRole.allCases.map(\.rawValue) == [BGT_ROLE_MAIN, BGT_ROLE_EXTENSION])
        let causes = [BGT_CAUSE_DUE, BGT_CAUSE_USER, BGT_CAUSE_EVENT, BGT_CAUSE_RELAUNCH]
        #expect(LaunchCause.allCases.map(\.rawValue) == causes)
        let events = [
            BGT_EVENT_STARTED, BGT_EVENT_TRIGGER, BGT_EVENT_FETCH, BGT_EVENT_PUSH, BGT_EVENT_TRANSFERS_FINISHED,
            BGT_EVENT_NOTIFICATION,
        ]
        #expect(EventType.allCases.map(\.rawValue) == events)
    }
}
