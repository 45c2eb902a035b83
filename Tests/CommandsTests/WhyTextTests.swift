// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("bgtask why prints the reasons, the last outcome and the remedy of a task")
struct WhyTextTests {
    private let reader = Reader(now: Samples.now, timeZone: .gmt)

    @Test func `bgtask why of a waiting task prints every reason, the last outcome and the history`() throws {
        #expect(
            try Samples.why().text(for: reader) == """
                com.example.feed.refresh of com.example.feed waits (refresh, submission 12):
                  earliest-begin: the earliest begin of the request is in the future; until 2026-01-31 02:00:00 (in 12min)
                  network: the task needs a network, and the host sees none

                earliest possible  unknown: a reason above ends at no known time
                one change         none suffices: each reason above blocks the task by itself
                last outcome       crashed, 2026-01-31 01:46:30 (1min 30s ago), launch 40, blame plugin
                                   signal 11
                next commands      bgtask logs 40: what the plugin wrote

                POLICY   VERDICT  UNTIL  RATIONALE
                idle     may      -      applies to processing requests only
                spacing  wait     in 1s  at least 1s between two launches

                WAITED FOR      SUBMISSION  SINCE                FOR
                network         12          2026-01-31 01:47:00  30s
                earliest-begin  12          2026-01-31 01:47:30  30s, still

                """
        )
    }

    @Test(arguments: [
        (false, SubmitterLease.Trust.ended, 720, "no contact with the fleet for 12min; this task ends, because"),
        (true, SubmitterLease.Trust.ended, 720, "for 12min; this task is bound to this host and is not affected"),
        (false, SubmitterLease.Trust.unconfirmed(until: BootTime(nanoseconds: 1)), nil, "since the host started;"),
        (false, SubmitterLease.Trust.trusted(until: BootTime(nanoseconds: 1)), 8, "last contact was 8s ago"),
    ])
    func `bgtask why prints the claim of a task, and the effect of a lost contact`(
        isBound: Bool,
        trust: SubmitterLease.Trust,
        silence: Int?,
        sentence: String
    ) throws {
        var reply = try Samples.why()
        let record = LeaseRecord(name: "fleet", owner: 1_000, length: .seconds(30))
        let contact = silence.map { Samples.now + .seconds(-$0) }
        reply.claim = ClaimInWhy(
            LeasedClaim(Claim(item: 71, fence: 3, isBound: isBound), under: "fleet"),
            lease: SubmitterLease(record, trust: trust, contact: contact)
        )
        let text = reply.text(for: reader)
        #expect(text.contains("claim              item 71 of the fleet, fence 3, under the lease fleet\n"))
        #expect(text.contains(sentence))
    }

    @Test func `bgtask why prints the earliest time of a single reason, and the change that removes the reason`() throws
    {
        let reason = Reason.earliestBegin(Samples.now + .seconds(720))
        let reply = TaskWhyReply(
            identifier: try Samples.task(),
            plugin: try Samples.plugin(),
            state: .pending,
            kind: .refresh,
            submission: SubmissionNumber(rawValue: 12),
            isEligible: false,
            reasons: [WaitingReason(reason, at: Samples.moment)],
            earliestPossible: .at(Timestamp(Samples.now + .seconds(720))),
            change: ProposedChange(removing: reason)
        )
        #expect(
            reply.text(for: reader) == """
                com.example.feed.refresh of com.example.feed waits (refresh, submission 12):
                  earliest-begin: the earliest begin of the request is in the future; until 2026-01-31 02:00:00 (in 12min)

                earliest possible  2026-01-31 02:00:00 (in 12min)
                one change         wait, submit the task again with an earlier begin, or run it now with bgtask run

                """
        )
    }

    @Test func `bgtask why of a request that lapses before its earliest start says so`() throws {
        func text(deadline: Duration) throws -> String {
            let reason = Reason.kindSpacing(until: Samples.now + .seconds(720), .push, .seconds(1_200))
            return TaskWhyReply(
                identifier: try Samples.task(),
                plugin: try Samples.plugin(),
                state: .pending,
                kind: .push,
                submission: SubmissionNumber(rawValue: 12),
                expiresAt: Samples.now + deadline,
                isEligible: false,
                reasons: [WaitingReason(reason, at: Samples.moment)],
                earliestPossible: .at(Timestamp(Samples.now + .seconds(720))),
                change: ProposedChange(removing: reason)
            ).text(for: reader)
        }
        #expect(
            try text(deadline: .seconds(600)).contains("before its earliest start: submit it with a later expires_at")
        )
        #expect(try !text(deadline: .seconds(900)).contains("earliest start"))
    }

    @Test func `bgtask why prints the remedy of each of several reasons, the schedule and the replacements`() throws {
        let plugin = try Samples.plugin()
        func reason(_ reason: Reason) -> WaitingReason {
            WaitingReason(code: reason.code, message: reason.message, remedy: reason.remedy)
        }
        let reply = TaskWhyReply(
            identifier: try Samples.task(),
            plugin: plugin,
            state: .pending,
            kind: .refresh,
            submission: SubmissionNumber(rawValue: 12),
            isEligible: false,
            reasons: [reason(.externalPower), reason(.network)],
            nextOccurrence: Samples.now + .seconds(720),
            schedule: .init(plugin: plugin, kind: .refresh, rhythm: "every 6h"),
            replacements: .init(
                since: Samples.now + .seconds(-40),
                last: Samples.now + .seconds(-4),
                submitters: [.plugin(plugin): 11]
            ),
            earliestPossible: .unknown
        )
        let text = reply.text(for: reader)
        #expect(text.contains("    remedy: \(Reason.externalPower.remedy)\n"))
        #expect(text.contains("    remedy: \(Reason.network.remedy)\n"))
        #expect(text.contains("schedule           every 6h (refresh), in the configuration of com.example.feed\n"))
        #expect(text.contains("replaced           11 times in 40s by its own plugin, last 4s ago\n"))
        #expect(text.contains("correct the plugin so that it submits only while no request is pending"))
    }

    @Test func `bgtask why names every submitter of replacements, and gives no hint when others replaced more`() throws
    {
        let plugin = try Samples.plugin()
        let reply = TaskWhyReply(
            identifier: try Samples.task(),
            plugin: plugin,
            state: .pending,
            isEligible: true,
            replacements: .init(
                since: Samples.now + .seconds(-40),
                last: Samples.now,
                submitters: [.plugin(plugin): 1, .user: 2]
            )
        )
        let text = reply.text(for: reader)
        #expect(text.contains("replaced  3 times in 40s by users (2), its own plugin (1), last now\n"), "\(text)")
        #expect(!text.contains("correct the plugin"))
    }

    @Test func `bgtask why has a sentence for eligible, running, unknown and finished tasks`() throws {
        let (task, plugin) = (try Samples.task(), try Samples.plugin())
        func text(_ reply: TaskWhyReply) -> String { reply.text(for: reader) }
        #expect(
            text(TaskWhyReply(identifier: task, plugin: plugin, state: .pending, kind: .refresh, isEligible: true))
                == "com.example.feed.refresh of com.example.feed may run now (refresh)\n"
        )
        let running = TaskWhyReply.Running(launch: LaunchNumber(rawValue: 41), used: .seconds(2), budget: .seconds(30))
        #expect(
            text(TaskWhyReply(identifier: task, plugin: plugin, state: .running, running: running))
                == "com.example.feed.refresh of com.example.feed is running in launch 41, 2s of 30s used\n"
        )
        let again = TaskWhyReply(
            identifier: task,
            plugin: plugin,
            state: .running,
            kind: .refresh,
            isEligible: true,
            running: running
        )
        #expect(text(again).hasSuffix(" 2s of 30s used\nthe next request may run now (refresh)\n"))
        #expect(
            text(TaskWhyReply(identifier: task, plugin: plugin, state: .unknown))
                == "com.example.feed.refresh of com.example.feed is neither pending nor running, and no outcome of it"
                + " is recorded\n"
        )
        let cancelled = TaskWhyReply.LastOutcome(
            outcome: "cancelled",
            at: Samples.now,
            blame: .nobody,
            message: "",
            launch: nil
        )
        #expect(
            text(TaskWhyReply(identifier: task, plugin: plugin, state: .finished, lastOutcome: cancelled)) == """
                com.example.feed.refresh of com.example.feed is neither pending nor running; it ended as cancelled

                last outcome  cancelled, 2026-01-31 01:48:00 (now)

                """
        )
    }

    @Test(arguments: [
        ("failed", Blame.plugin, true), ("abandoned", .unknown, true), ("succeeded", .nobody, false),
        ("failed", .user, false),
    ])
    func `bgtask why of a task that failed names the commands for its log and its retry`(
        outcome: String,
        blame: Blame,
        hasCommands: Bool
    ) throws {
        let last = TaskWhyReply.LastOutcome(
            outcome: outcome,
            at: Samples.now,
            blame: blame,
            message: "",
            launch: LaunchNumber(rawValue: 41)
        )
        let task = try Samples.task()
        let reply = TaskWhyReply(
            identifier: task,
            plugin: try Samples.plugin(),
            state: .finished,
            lastOutcome: last
        )
        let commands = """
            next commands  bgtask logs 41: what the plugin wrote
                           bgtask task retry \(task): submit it again

            """
        #expect(reply.text(for: reader).hasSuffix(commands) == hasCommands)
        #expect(reply.text(for: reader).contains("next commands") == hasCommands)
    }
}
