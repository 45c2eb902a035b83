// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@Suite("Names and numbers on which other programs depend keep their values")
struct VocabularyTests {
    @Test(.proves("C14")) func `the four refusal codes have the numbers of Apple's BackgroundTasks`() {
        #expect(SubmissionRefusal.Code.unavailable.rawValue == 1)
        #expect(SubmissionRefusal.Code.tooManyPendingTaskRequests.rawValue == 2)
        #expect(SubmissionRefusal.Code.notPermitted.rawValue == 3)
        #expect(SubmissionRefusal.Code.immediateRunIneligible.rawValue == 4)
    }

    @Test(.proves("C14")) func `the description of a refusal contains its code, its sub-reason and its message`() {
        let refusal = SubmissionRefusal(code: .notPermitted, subReason: .fetchModeMissing, message: "add fetch")
        #expect("\(refusal)" == "not-permitted (mode-fetch-missing): add fetch")
    }

    @Test func `the task IDs of fifty launches with a hundred tasks each are unique`() {
        var ids: Set<TaskID> = []
        for launch in 1...50 {
            for index in 0..<100 { ids.insert(TaskID(launch: LaunchNumber(rawValue: Int64(launch)), index: index)) }
        }
        #expect(ids.count == 5_000)
        #expect(!ids.contains(TaskID(rawValue: 0)))
        #expect("\(TaskID(launch: LaunchNumber(rawValue: 41), index: 0))" == "41.1")
    }

    @Test(.proves(81))
    func `the assertion IDs of fifty launches with a hundred assertions each are unique and belong to their launch`() {
        var ids: Set<AssertionID> = []
        for launch in (1...50).map(LaunchNumber.init(rawValue:)) {
            for count in 1...100 as ClosedRange<UInt32> {
                let id = AssertionID(launch: launch, count: count)
                #expect(id.belongs(to: launch) && !id.belongs(to: LaunchNumber(rawValue: launch.rawValue + 1)))
                ids.insert(id)
            }
        }
        #expect(ids.count == 5_000)
        #expect("\(AssertionID(launch: LaunchNumber(rawValue: 41), count: 2))" == "41.2")
    }

    @Test(arguments: TaskKind.allCases) func `a task kind is found by its lower-case name`(_ kind: TaskKind) {
        #expect(TaskKind(name: kind.name) == kind)
        #expect(TaskKind(name: kind.name.uppercased()) == nil)
    }

    @Test(.proves("C7")) func `refresh and processing have the background lane, and events have the event lane`() {
        #expect(TaskKind.refresh.lane == .background && TaskKind.processing.lane == .background)
        #expect(TaskKind.event.lane == .event)
    }

    @Test(.proves(55)) func `a completion outcome maps to the task outcome of the same meaning`() {
        #expect(CompletionOutcome.success.taskOutcome == .succeeded)
        #expect(CompletionOutcome.failure.taskOutcome == .failed)
        #expect(CompletionOutcome.noData.taskOutcome == .noData)
    }

    @Test func `the journal events of a crashed task and of a crashed launch have different names`() {
        #expect(JournalEntry.Event.task(.crashed).name == "crashed")
        #expect(JournalEntry.Event.launch(.crashed).name == "launch-crashed")
    }

    @Test func `the retry state of pending work can be changed in place`() throws {
        let plugin = try #require(PluginIdentifier("com.example.app"))
        let event = PendingEvent(
            plugin: plugin,
            number: SubmissionNumber(rawValue: 7),
            type: .started,
            createdAt: WallTime(nanoseconds: 0)
        )
        var work = PendingWork.event(event)
        work.retry.attempts = 2
        #expect(work.retry.attempts == 2 && work.number == event.number && work.kind == .event)
        #expect(work.identifier == nil && work.label == "started")
    }
}
