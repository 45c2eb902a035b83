// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@Suite("The journal records submissions, launches and calls of users, with limits per launch")
struct JournalTests {
    private let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")

    @Test func `a submission and the launch that runs it have one journal entry each`() throws {
        let host = SchedulerDriver(.app())
        let number = try #require(host.submit(.clean)?.submission)
        let line = try #require(host.entries(.submitted).last)
        #expect(line.submission == number && line.label == TaskIdentifier.clean.text && line.user == nil)
        #expect(line.message == "processing request submitted by com.example.app")
        let launch = try #require(host.entries(.launched).last)
        #expect(launch.launch == host.lastPlan?.number && launch.count == 1)
        #expect(host.entries(.submitted).count == 1 && host.entries(.launched).count == 1)
    }

    @Test func `two successive launches have successive numbers in the journal`() throws {
        let host = SchedulerDriver(.app(), .mail())
        host.submit(.clean)
        host.submit(.sweep, by: .plugin(.mail))
        let numbers = host.entries(.launched).compactMap(\.launch?.rawValue)
        #expect(numbers.count == 2 && numbers[1] == numbers[0] + 1)
    }

    @Test func `a refused submission has no journal entry`() {
        let host = SchedulerDriver(.app())
        host.submit("com.example.app.unknown")
        #expect(host.wholeJournal.isEmpty)
    }

    @Test
    func `journal entries of a user's submission, stop and trigger name the user; those of launches do not`() throws {
        let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard())
        host.caller = user
        host.submitContinued(.album(1), by: .user)
        host.enter()
        host.stopTask(.album(1))
        host.trigger()
        host.caller = nil
        for event in [JournalEntry.Event.submitted, .stopRequested, .triggered] {
            #expect(host.entries(event).map(\.user) == [user], "\(event.name)")
        }
        #expect(host.entries(.launched).allSatisfy { $0.user == nil })
    }

    @Test func `journal entries of a user's replacement, cancellation, launch request and expiration name the user`() {
        let host = SchedulerDriver(.app())
        host.caller = user
        host.submit(.clean, after: .hours(1), by: .user)
        host.submit(.clean, after: .hours(2), by: .user)
        host.cancel(.clean, of: nil)
        host.submit(.vacuum, after: .hours(1), by: .user)
        host.requestRun(of: .vacuum)
        host.enter()
        host.simulateExpiration(of: .vacuum)
        for event in [JournalEntry.Event.replaced, .cancelled, .launchRequested, .expirationSimulated] {
            #expect(host.entries(event).map(\.user) == [user], "\(event.name)")
        }
    }

    @Test func `the journal has each change of the simulated conditions with its user, and their end`() {
        let host = SchedulerDriver(.app())
        host.caller = user
        host.simulate(ScriptedConditions([.network: false, .idle: true], lockedContainers: [.app: true]))
        host.simulate(ScriptedConditions([.network: true, .idle: true]))
        host.simulate(ScriptedConditions())
        let entries = host.entries(.conditionsSimulated) + host.entries(.simulationEnded)
        #expect(
            entries.map(\.message) == [
                "changed: network false, idle true, container of com.example.app locked;"
                    + " simulated now: network false, idle true, container of com.example.app locked",
                "changed: network true, container of com.example.app real; simulated now: network true, idle true",
                "changed: network real, idle real; no condition is simulated",
            ]
        )
        #expect(entries.allSatisfy { $0.user == user && $0.plugin == nil })
    }

    @Test
    func `the journal entry of a killed leftover process without a process mark names no plugin or launch`() throws {
        let host = SchedulerDriver(.app())
        host.send(.leftoverKilled(pid: 41, program: "sleep", .unmarked))
        let entry = try #require(host.entries(.leftoverKilled).first)
        #expect(entry.plugin == nil && entry.launch == nil && entry.blame == .plugin && entry.count == nil)
        #expect(entry.message.contains("process 41 (sleep)") && entry.message.contains("isolation: off"))
    }

    @Test func `the journal entry of a process that outlived an earlier host has no blame and names the remedy`() throws
    {
        let host = SchedulerDriver(.app())
        host.send(.leftoverKilled(pid: 41, program: "sleep", .earlierHost))
        let entry = try #require(host.entries(.leftoverKilled).first)
        #expect(entry.plugin == nil && entry.launch == nil && entry.blame == .nobody)
        #expect(entry.message.contains("process 41 (sleep) of a plugin outlived the previous host"))
        #expect(entry.message.contains("stop the host with SIGTERM"))
    }

    @Test func `a launch without a control group is journaled with blame on the host, at most ten per minute`() throws {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        let plan = try #require(host.lastPlan)
        for _ in 1...13 { host.send(.launchUnlimited(plan.number, cause: "no space")) }
        let entries = host.entries(.limitsMissing)
        #expect(entries.count == 10)
        #expect(entries.allSatisfy { $0.launch == plan.number && $0.plugin == plan.plugin.identifier })
        #expect(entries.allSatisfy { $0.blame == .host && $0.message.contains(": no space; let the host create") })
    }

    @Test
    func `killed leftover processes have at most ten journal entries per minute, and the next one counts the others`() {
        let host = SchedulerDriver(.app())
        for pid in Int32(1)...13 { host.send(.leftoverKilled(pid: pid, program: "sleep", .unmarked)) }
        #expect(host.entries(.leftoverKilled).count == 10)
        host.advance(by: .seconds(60))
        host.send(.leftoverKilled(pid: 14, program: "sleep", .unmarked))
        host.send(.leftoverKilled(pid: 15, program: "sleep", .unmarked))
        let entries = host.entries(.leftoverKilled).suffix(2)
        #expect(entries.map(\.count) == [3, nil])
        #expect(entries.first?.message.contains("3 others were killed since the last entry") == true)
    }

    @Test func `a simulation that changes no value has no journal entry`() {
        let host = SchedulerDriver(.app())
        host.simulate(ScriptedConditions())
        host.simulate(ScriptedConditions([.idle: true]))
        host.simulate(ScriptedConditions([.idle: true]))
        #expect(host.entries(.conditionsSimulated).count == 1 && host.entries(.simulationEnded).isEmpty)
    }

    @Test func `a stopping host journals the end of simulated conditions once, without a user`() {
        let host = SchedulerDriver(.app())
        host.caller = user
        host.simulate(ScriptedConditions([.idle: false]))
        host.caller = nil
        host.stop()
        host.stop()
        let ends = host.entries(.simulationEnded)
        #expect(ends.map(\.message) == ["the host stops; simulated until now: idle false"])
        #expect(ends.map(\.user) == [nil])
    }

    @Test func `a user's cancellation that waits for a commit names the user in its later journal entry`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.submit(.clean, after: .hours(2))
        host.caller = user
        host.cancel(.clean)
        host.caller = nil
        host.writeHeldCommits()
        #expect(host.entries(.cancelled).map(\.user) == [user])
        #expect(host.entries(.replaced).map(\.user) == [nil])
    }

    @Test
    func `after the twentieth submission by one launch, one journal entry counts all further submissions`() throws {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        // Only the first entries of single replacements are written.
        host.isStrict = false
        for _ in 1...500 { submit(.vacuum, from: plan, to: host) }
        host.complete(.clean, in: plan)
        let submitted = host.entries(.submitted).filter { $0.launch == plan.number }
        #expect(submitted.count == 21 && submitted.last?.count == 480)
        let replaced = host.entries(.replaced)
        #expect(replaced.count == 21 && replaced.last?.count == 479)
        #expect(submitted.last?.submission == nil && replaced.last?.submission == nil)
    }

    @Test func `the journal entry of a launch's twentieth submission announces that further ones are only counted`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        let plan = host.lastPlan
        host.isStrict = false
        for _ in 1...30 { submit(.vacuum, from: plan, to: host) }
        host.restart()
        let submitted = host.entries(.submitted).filter { $0.launch == plan?.number }
        let notice =
            "; later entries of this kind are omitted: one entry at the end of the launch counts them, unless the"
            + " host goes down first"
        #expect(submitted.count == 20 && submitted.last?.message.hasSuffix(notice) == true)
        #expect(submitted.dropLast().allSatisfy { !$0.message.contains("omitted") })
    }

    @Test
    func `a submission whose commit fails does not count towards the twenty journaled submissions of its launch`()
        throws
    {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        host.isStrict = false
        host.commits = .failing
        for _ in 1...30 { submit(.vacuum, from: plan, to: host) }
        host.commits = .written
        for _ in 1...25 { submit(.vacuum, from: plan, to: host) }
        host.complete(.clean, in: plan)
        let submitted = host.entries(.submitted).filter { $0.launch == plan.number }
        #expect(submitted.count == 21 && submitted.last?.count == 5)
    }

    @Test
    func `a cancellation whose commit fails does not count towards the hundred journaled cancellations of its launch`()
        throws
    {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        host.submit(.vacuum, after: .hours(1))
        host.commits = .failing
        for _ in 1...200 { _ = host.ask { .cancelRequested(.vacuum, of: .app, from: plan.number, reply: $0) } }
        host.commits = .written
        _ = host.ask { .cancelRequested(.vacuum, of: .app, from: plan.number, reply: $0) }
        #expect(host.entries(.cancelled).map(\.submission).count == 1)
        host.complete(.clean, in: plan)
        #expect(host.entries(.cancelled).count == 1)
    }

    @Test
    func `a user's cancellation of a running task is journaled at once, and again with the user after a crash`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        host.caller = user
        host.cancel(.clean, of: nil)
        host.caller = nil
        let call = host.entries(.cancelRequested).last
        #expect(call?.user == user && call?.submission == host.lastPlan?.tasks.first?.work.number)
        #expect(call?.label == TaskIdentifier.clean.text && call?.launch == host.lastPlan?.number)
        #expect(host.entries(.cancelled).isEmpty)
        host.crash()
        #expect(host.entries(.cancelled).map(\.user) == [user])
    }

    @Test func `a plugin's cancellation of its running task is journaled only when the task crashes`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        _ = host.ask { .cancelRequested(.clean, of: .app, from: host.lastPlan?.number, reply: $0) }
        #expect(host.entries(.cancelRequested).isEmpty)
        host.crash()
        #expect(host.entries(.cancelled).map(\.user) == [nil])
    }

    @Test func `an expired task whose process crashes gets a journal entry that ends its submission`() {
        let host = SchedulerDriver(.app())
        host.processesObey = false
        host.submit(.feed, as: .refresh)
        host.enter()
        host.advance(by: .seconds(30))
        host.crash()
        let number = host.lastPlan?.tasks.first?.work.number
        #expect(host.outcomes(of: .feed) == [.crashed] && host.request(.feed) == nil)
        #expect(host.entries(.consumed).map(\.submission) == [number])
        #expect(host.entries(.consumed).last?.event.endsSubmission == true)
    }

    private func submit(_ identifier: TaskIdentifier, from plan: LaunchPlan?, to host: SchedulerDriver) {
        let begin = host.clock.now.wall + .hours(1)
        let request = TaskRequest(identifier: identifier, kind: .processing, earliestBegin: begin)
        let submission = Submission(request: request, submitter: .plugin(.app), launch: plan?.number)
        _ = host.ask { .submitted(submission, reply: $0) }
    }

    @Test func `every journal event has a unique name and meaning`() {
        let rows = JournalEntry.Event.allCases.map(\.row)
        #expect(Set(rows.map(\.name)).count == rows.count && Set(rows.map(\.meaning)).count == rows.count)
    }

    @Test func `an abandoned task is a worse outcome than a crash, and a crash than a failure`() {
        #expect(TaskOutcome.worst(of: [.succeeded, .failed, .noData]) == .failed)
        #expect(TaskOutcome.worst(of: [.failed, .crashed, .expired]) == .crashed)
        #expect(TaskOutcome.worst(of: TaskOutcome.allCases) == .abandoned)
        #expect(TaskOutcome.worst(of: []) == nil)
    }
}
