// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A failed task is retried under the terms that the operator put in force")
struct FailureRetryTests {
    private static let terms = FailureRetry(attempts: 3, delay: .seconds(60), backoff: 2, jitter: 0)
    private let host: SchedulerDriver

    init() {
        host = SchedulerDriver(.app(retries: [.exact(.clean): Self.terms])) {
            $0.plugins[.app, default: PluginPolicy()].retries = RetryChoices(.accept)
        }
    }

    private func fail(_ identifier: TaskIdentifier = .clean) {
        host.enter()
        host.complete(identifier, as: .failure)
    }

    @Test(.proves(55)) func `a failed task runs again after the delay, as the same submission with the same payload`()
        throws
    {
        let number = try #require(host.submit(.clean, needsNetwork: true, payload: [1, 2])?.submission)
        fail()
        #expect(host.outcomes(of: .clean) == [.retrying] && host.pending == [.clean])
        host.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(host.plans.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean], [.clean]])
        let work = try #require(host.lastPlan?.tasks.first?.work)
        #expect(work.number == number && host.ledger.payload(of: number) == [1, 2])
        guard case .request(let request) = work else { return }
        #expect(request.request.requiresNetwork && request.retry.failures == 1 && request.retry.attempts == 0)
    }

    @Test(.proves(55)) func `the delay doubles, and after the last attempt the task ends as failed`() {
        host.submit(.clean)
        fail()
        host.advance(by: .seconds(60))
        fail()
        host.advance(by: .seconds(119))
        #expect(host.plans.count == 2)
        host.advance(by: .seconds(1))
        fail()
        #expect(host.outcomes(of: .clean) == [.retrying, .retrying, .failed])
        #expect(host.lastEntry(of: .clean)?.message.contains("attempt 3 of 3 failed, and no retry is left") == true)
        host.advance(by: .days(3))
        #expect(host.pending.isEmpty && host.plans.count == 3)
    }

    @Test func `the journal and the reason name the failed attempt, the maximum and the time of the next one`() throws {
        host.submit(.clean)
        fail()
        let entry = try #require(host.lastEntry(of: .clean))
        #expect(entry.message.contains("attempt 1 of 3 failed; the task may run again in 1min"))
        #expect(entry.blame == .plugin)
        let reason = try #require(host.reasons(.clean).first { $0.kind == .retryDelay })
        #expect(reason.message == "attempt 1 of 3 failed, and the task waits for its retry delay")
        #expect(reason.end(at: host.clock.now) == host.clock.now.wall + .seconds(60))
    }

    @Test(.proves(55)) func `a task that succeeds at its second attempt ends`() {
        host.submit(.clean)
        fail()
        host.advance(by: .seconds(60))
        host.runToTheEnd()
        host.advance(by: .days(3))
        #expect(host.outcomes(of: .clean) == [.retrying, .succeeded] && host.plans.count == 2)
    }

    @Test func `a task without a proposal is not retried although the operator accepts proposals`() {
        host.submit(.vacuum)
        fail(.vacuum)
        #expect(host.outcomes(of: .vacuum) == [.failed] && host.pending.isEmpty)
        #expect(host.lastEntry(of: .vacuum)?.message.contains("attempt") == false)
    }

    @Test func `the number of failures and the delay survive a restart and a reboot`() throws {
        host.submit(.clean)
        fail()
        host.restart()
        #expect(try #require(host.request(.clean)).retry.failures == 1)
        host.restart(after: .seconds(20), rebooting: true)
        host.advance(by: .seconds(40) - .nanoseconds(1))
        #expect(host.plans.filter { $0.identifiers == [.clean] }.count == 1)
        host.advance(by: .seconds(1))
        #expect(host.lastPlan?.identifiers == [.clean])
        fail()
        #expect(try #require(host.request(.clean)).retry.failures == 2)
    }

    @Test func `a crash between two attempts is charged apart, and the failed attempts still count`() throws {
        host.submit(.clean)
        fail()
        host.advance(by: .seconds(60))
        host.enter()
        host.crash()
        let retry = try #require(host.request(.clean)).retry
        #expect(retry.failures == 1 && retry.attempts == 1)
        #expect(host.reasons(.clean).first?.message.contains("attempts charged: 1") == true)
    }

    // MARK: Newer requests

    @Test func `a task that resubmits itself while it runs is not retried`() throws {
        host.submit(.clean)
        host.enter()
        let newer = try #require(host.submit(.clean, after: .hours(1))?.submission)
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.failed])
        #expect(host.request(.clean)?.number == newer)
        #expect(host.lastEntry(of: .clean)?.message.contains("submission \(newer) is newer") == true)
    }

    @Test func `a newer request replaces a retry that waits, and starts without its failures`() throws {
        host.submit(.clean)
        fail()
        let newer = host.submit(.clean, after: .seconds(5))
        #expect(newer?.replaced != nil && host.entries(.replaced).count == 1)
        #expect(try #require(host.request(.clean)).retry == Retry())
        host.advance(by: .seconds(5))
        #expect(host.plans.count == 2)
    }

    @Test func `a newer request whose commit precedes that of the retry supersedes the retry`() throws {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.submit(.clean, after: .hours(1))
        host.complete(.clean, as: .failure)
        host.commits = .written
        host.writeHeldCommits()
        let newer = try #require(host.lastAnswer?.submission)
        #expect(host.request(.clean)?.number == newer && host.pending == [.clean])
        #expect(host.entries(.superseded).map(\.successor) == [newer])
    }

    // MARK: Cancelled and stopped tasks

    @Test func `a cancelled task is not retried`() {
        host.submit(.clean)
        host.enter()
        host.cancel(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.failed] && host.pending.isEmpty)
        #expect(host.lastEntry(of: .clean)?.message.contains("it was cancelled or stopped") == true)
    }

    @Test func `a task whose cancellation is being written is not retried`() {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.cancel(.clean)
        host.complete(.clean, as: .failure)
        host.commits = .written
        host.writeHeldCommits()
        #expect(host.outcomes(of: .clean) == [.failed] && host.pending.isEmpty)
    }

    @Test func `a task that a user stopped is not retried`() {
        host.submit(.clean)
        host.enter()
        _ = host.ask { .taskStopRequested(.clean, reply: $0) }
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.failed] && host.pending.isEmpty)
    }

    @Test func `a retry that waits can be cancelled`() {
        host.submit(.clean)
        fail()
        #expect(host.cancel(.clean) == .cancelled(1))
        host.advance(by: .days(1))
        #expect(host.pending.isEmpty && host.plans.count == 1)
    }

    @Test func `a user's run request starts a retry before its delay is over`() {
        host.submit(.clean)
        fail()
        host.requestRun(of: .clean)
        #expect(host.plans.count == 2)
    }

    // MARK: Other launches and configurations

    @Test func `the other tasks of the launch continue while a failed one waits for its retry`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.complete(.clean, as: .failure)
        #expect(host.running == [.vacuum] && host.pending == [.clean])
        host.complete(.vacuum)
        #expect(host.launchOutcomes == [.completed])
        host.advance(by: .seconds(60))
        #expect(host.batches.last == [.clean])
    }

    @Test func `a task that completes as failed after its expiration for the budget is retried`() {
        host.submit(.clean)
        host.enter()
        host.setExpirationHandler(for: .clean)
        host.advance(by: .seconds(600))
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.retrying] && host.pending == [.clean])
    }

    @Test func `a continued task is retried in a launch of its own`() {
        let host = SchedulerDriver(.studio(retries: ["com.example.app.export.*": Self.terms])) {
            $0.plugins[.app, default: PluginPolicy()].retries = RetryChoices(.accept)
        }
        host.submitContinued(.album(1))
        host.enter()
        host.complete(.album(1), as: .failure)
        #expect(host.outcomes(of: .album(1)) == [.retrying])
        host.advance(by: .seconds(60))
        #expect(host.plans.count == 2 && host.lastPlan?.identifiers == [.album(1)])
    }

    @Test func `refusing the retries by a changed configuration ends a task at its next failure`() {
        host.submit(.clean)
        fail()
        var configuration = host.scheduler.configuration
        configuration.plugins[.app]?.retries = RetryChoices(.refuse)
        host.send(.configured(configuration, keys: ["plugins.com.example.app"]))
        #expect(host.reasons(.clean).first?.message == "attempt 1 failed, and the task waits for its retry delay")
        host.advance(by: .seconds(60))
        fail()
        #expect(host.outcomes(of: .clean) == [.retrying, .failed] && host.pending.isEmpty)
    }

    @Test func `a failed commit of a retry is repeated, and the task runs again once`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.complete(.clean, as: .failure)
        host.commits = .written
        host.advance(by: .seconds(2))
        #expect(host.pending == [.clean])
        host.advance(by: .seconds(60))
        #expect(host.plans.count == 2)
    }
}
