// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@Suite("Names and numbers that others rely on")
struct VocabularyTests {
    @Test(.proves("C14")) func `the four codes are the reference system's`() {
        #expect(Refusal.Code.unavailable.rawValue == 1)
        #expect(Refusal.Code.tooManyPendingTaskRequests.rawValue == 2)
        #expect(Refusal.Code.notPermitted.rawValue == 3)
        #expect(Refusal.Code.immediateRunIneligible.rawValue == 4)
    }

    @Test(.proves("C14")) func `a refusal tells its code, its reason and its remedy`() {
        let refusal = Refusal(code: .notPermitted, subReason: .fetchModeMissing, message: "add fetch")
        #expect("\(refusal)" == "not-permitted (mode-fetch-missing): add fetch")
    }

    @Test func `no two tasks of a host share an id`() {
        var ids: Set<TaskID> = []
        for launch in 1...50 {
            for index in 0..<100 { ids.insert(TaskID(launch: LaunchNumber(rawValue: Int64(launch)), index: index)) }
        }
        #expect(ids.count == 5_000)
        #expect(!ids.contains(TaskID(rawValue: 0)))
        #expect("\(TaskID(launch: LaunchNumber(rawValue: 41), index: 0))" == "41.1")
    }

    @Test(.proves(81)) func `no two assertions of a host share an id, and each knows its launch`() {
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

    @Test(arguments: TaskKind.allCases)
    func `a kind is found by its name`(_ kind: TaskKind) {
        #expect(TaskKind(name: kind.name) == kind)
        #expect(TaskKind(name: kind.name.uppercased()) == nil)
    }

    @Test(.proves("C7")) func `events have a lane of their own`() {
        #expect(TaskKind.refresh.lane == .background && TaskKind.processing.lane == .background)
        #expect(TaskKind.event.lane == .event)
    }

    @Test(.proves(55)) func `what a plugin says is what is recorded`() {
        #expect(CompletionOutcome.success.taskOutcome == .succeeded)
        #expect(CompletionOutcome.failure.taskOutcome == .failed)
        #expect(CompletionOutcome.noData.taskOutcome == .noData)
    }

    @Test func `outcomes of tasks and launches cannot be mistaken for each other in the journal`() {
        #expect(JournalEntry.Event.task(.crashed).name == "crashed")
        #expect(JournalEntry.Event.launch(.crashed).name == "launch-crashed")
    }

    @Test func `the retry state of work is changed in place`() throws {
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
