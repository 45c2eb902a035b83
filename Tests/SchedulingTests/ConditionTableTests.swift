// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("Each condition has one row in a table, and the reasons of requests agree with that row")
struct ConditionTableTests {
    /// Refresh, processing and continued requests, each with at most one required condition, and a transfer.
    private static let requests: [TaskRequest] = {
        let gpu = ContinuedTerms(title: "Export", resources: .gpu)
        return [
            TaskRequest(identifier: .feed, kind: .refresh), TaskRequest(identifier: .clean, kind: .processing),
            TaskRequest(identifier: .clean, kind: .processing, requiresNetwork: true),
            TaskRequest(identifier: .clean, kind: .processing, requiresExternalPower: true),
            TaskRequest(identifier: .clean, kind: .continued, continued: ContinuedTerms(title: "Export")),
            TaskRequest(identifier: .clean, kind: .continued, continued: gpu),
            .transfer(
                SubmissionNumber(rawValue: 1),
                of: .app,
                earliestBegin: nil,
                expiresAt: nil,
                isDiscretionary: true
            ),
        ]
    }()

    private func reasons(_ request: TaskRequest, _ conditions: Conditions) -> [Reason] {
        var configuration = SchedulingConfiguration()
        configuration.policies.stagger = .zero
        let later = WallTime(nanoseconds: 1_000_000_000)
        let now = Moment(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: later, boot: BootID("boot"))
        let pending = PendingRequest(
            plugin: .app,
            number: SubmissionNumber(rawValue: 1),
            request: request,
            submitter: .user,
            submittedAt: now.wall
        )
        let facts = Policy.Facts(
            work: .request(pending),
            isUserRequested: false,
            standing: Eligibility.Standing(plugin: .app, policy: configuration.policy(for: .app)),
            startupWaves: StartupWaves(),
            conditions: conditions,
            configuration: configuration,
            now: now
        )
        return Eligibility.conditionReasons(against: .request(pending), conditions: conditions)
            + Policy.reasons(on: facts)
    }

    @Test(arguments: Condition.allCases)
    func `each condition changes the reasons of some requests, all in a class of work that the condition concerns`(
        _ condition: Condition
    ) {
        var changed = 0
        for request in Self.requests {
            // The effect of a condition may depend on the other conditions.
            for bits in 0..<(1 << Condition.allCases.count) {
                let held = Condition.allCases.filter { bits & 1 << Int($0.rawValue) != 0 && $0 != condition }
                let without = reasons(request, Conditions(held))
                let with = reasons(request, Conditions(held + [condition]))
                guard with != without else { continue }
                changed += 1
                #expect(condition.concerns(WorkClass(of: request)), "\(request.kind)")
                // A change of the condition evaluates every plugin that waits for it.
                let waitsFor = (with.count > without.count ? with : without)
                    .reduce(into: MachineConditions()) { $0.formUnion($1.kind.row.conditions) }
                #expect(waitsFor.contains(MachineConditions(condition)))
            }
        }
        #expect(changed > 0, "a condition that decides nothing")
    }

    @Test(arguments: Condition.allCases)
    func `a condition with the trait trouble, such as heat, adds a reason to wait, and any other removes one`(
        _ condition: Condition
    ) {
        for request in Self.requests where condition.concerns(WorkClass(of: request)) {
            let calm = Condition.allCases.filter { !$0.row.traits.contains(.trouble) && $0 != condition }
            let (with, without) = (reasons(request, Conditions(calm + [condition])), reasons(request, Conditions(calm)))
            if with == without { continue }
            #expect((with.count > without.count) == condition.row.traits.contains(.trouble))
        }
    }

    @Test func `condition rows share no name, help text or colour`() {
        let rows = Condition.allCases.map(\.row)
        for values in [rows.map(\.name), rows.map(\.help), rows.map(\.color)] {
            #expect(Set(values).count == rows.count)
        }
    }

    @Test func `the difference of two sets of conditions contains exactly the changed ones`() {
        for first in Condition.allCases {
            for second in Condition.allCases {
                let changes = Conditions([first]).changes(since: Conditions([second]))
                #expect(changes == (first == second ? [] : [MachineConditions(first), MachineConditions(second)]))
                let removal = Conditions([first, second]).changes(since: Conditions([second]))
                #expect(removal == (first == second ? [] : [MachineConditions(first)]))
            }
        }
        #expect(Conditions([], isUseUnknown: true).changes(since: Conditions([])) == .firstSample)
        #expect(Conditions([], containerLocks: [.app: true]).changes(since: Conditions([])) == .containers)
    }
}
