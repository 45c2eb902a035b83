// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel
import Testing

@testable import HostService

@Suite("A task crosses to its runner with the claim of its request")
struct RunnerTaskTests {
    private static let id = TaskID(launch: LaunchNumber(rawValue: 3), index: 0)

    private let plugin: PluginIdentifier
    private let identifier: TaskIdentifier

    init() throws {
        plugin = try #require(PluginIdentifier("com.example.feed"))
        identifier = try #require(TaskIdentifier("com.example.feed.clean"))
    }

    private func runnerTask(_ claim: LeasedClaim?) -> RunnerPlan.Task {
        let request = PendingRequest(
            plugin: plugin,
            number: SubmissionNumber(rawValue: 5),
            request: TaskRequest(identifier: identifier, kind: .processing, claim: claim),
            submitter: .user,
            submittedAt: WallTime(nanoseconds: 0)
        )
        return RunnerPlan.Task(PlannedTask(id: Self.id, work: .request(request)), of: plugin, payload: [])
    }

    @Test func `a claimed request crosses with its claim, and a request without one without a claim`() {
        let claim = Claim(item: 71, fence: 3, isBound: true)
        #expect(runnerTask(LeasedClaim(claim, under: "fleet")).claim == claim)
        #expect(runnerTask(nil).claim == nil)
    }

    @Test func `an event crosses without a claim`() {
        let event = PendingEvent(
            plugin: plugin,
            number: SubmissionNumber(rawValue: 5),
            type: .started,
            createdAt: WallTime(nanoseconds: 0)
        )
        let task = RunnerPlan.Task(PlannedTask(id: Self.id, work: .event(event)), of: plugin, payload: [])
        #expect(task.claim == nil && task.identifier == plugin.text)
    }
}
