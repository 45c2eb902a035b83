// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Each reason has one row")
struct ReasonTableTests {
    /// One reason of each kind.
    static let reasons: [Reason] = {
        let (wall, later) = (WallTime(nanoseconds: 1), MonotonicTime(nanoseconds: 2))
        return [
            .pluginMissing(.app), .pluginRefused(.app, problem: "torn"), .pluginDisabled(.app),
            .identifierNotPermitted(.clean), .modeMissing(.fetch), .entitlementMissing(.healthResearch),
            .backgroundDenied(.app), .backgroundRefreshOff(nil), .earliestBegin(wall),
            .retryDelay(until: wall, attempts: 1), .spacing(until: later),
            .dayBudget(until: wall, limit: .seconds(60)), .spread(until: later, after: .boot), .externalPower,
            .network, .containerLocked(.app), .resourcesMissing, .useUnknown, .notIdle, .highLoad, .memoryPressure,
            .heat, .laneBusy(.background, LaunchNumber(rawValue: 1)), .othersRunAlone(first: "first"),
            .launchLimit(.background, limit: 1), .beingRecorded, .runnerUnavailable(until: later, message: "none"),
            .hostStopping,
        ]
    }()

    @Test func `every kind of reason is among the reasons of this suite once`() {
        #expect(Self.reasons.map(\.kind) == ReasonKind.allCases)
    }

    @Test(.proves("C13")) func `reasons are proposed in a fixed order: permission, time, machine, other work, host`() {
        #expect(
            ReasonKind.allCases.map(\.row.code) == [
                "plugin-missing", "plugin-refused", "plugin-disabled", "identifier-not-permitted", "mode-missing",
                "entitlement-missing", "background-denied", "background-refresh-off", "earliest-begin", "retry-delay",
                "spacing", "day-budget", "spread", "external-power", "network", "container-locked",
                "resources-missing", "use-unknown", "not-idle", "high-load", "memory-pressure", "heat", "lane-busy",
                "others-run-alone", "launch-limit", "being-recorded", "runner-unavailable", "host-stopping",
            ]
        )
        let groups = ReasonKind.allCases.map { ReasonKind.Group.allCases.firstIndex(of: $0.row.group) ?? -1 }
        #expect(groups == groups.sorted())
    }

    @Test(arguments: ReasonKind.allCases)
    func `a code names one kind of reason`(_ kind: ReasonKind) {
        #expect(ReasonKind(code: kind.row.code) == kind)
        #expect(ReasonKind(code: kind.row.code.uppercased()) == nil)
    }

    @Test func `no two reasons share a description, and none is its own remedy`() {
        #expect(Set(Self.reasons.map(\.message)).count == Self.reasons.count)
        for reason in Self.reasons { #expect(!reason.remedy.isEmpty && reason.remedy != reason.message) }
    }

    @Test(arguments: reasons)
    func `a reason ends by time, by the machine, by a request, by other work or by the host, as its group says`(
        _ reason: Reason
    ) {
        let row = reason.kind.row
        #expect(row.conditions.isEmpty == (row.group != .machine))
        if row.group == .time { #expect(reason.end != nil) }
        if row.group == .permission || row.group == .machine { #expect(reason.end == nil) }
        if row.traits.contains(.ownTime) { #expect(row.group == .time) }
        #expect(row.traits.contains(.capacity) == (reason.kind == .launchLimit))
        // A reason that only an operator ends stands until then.
        if row.group == .permission { #expect(row.traits.isDisjoint(with: [.momentary, .advisory])) }
    }

    @Test(.proves("C12")) func `only advisory reasons give way to the maximum deferral`() {
        #expect(
            ReasonKind.allCases.filter { $0.row.traits.contains(.advisory) }
                == [.spacing, .dayBudget, .spread, .notIdle, .highLoad]
        )
    }
}
