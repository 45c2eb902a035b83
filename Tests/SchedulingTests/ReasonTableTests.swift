// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Each kind of reason has one row in a table")
struct ReasonTableTests {
    /// One reason of each kind.
    static let reasons: [Reason] = {
        let (wall, later) = (WallTime(nanoseconds: 1), MonotonicTime(nanoseconds: 2))
        return [
            .pluginMissing(.app), .pluginRefused(.app, problem: "torn"),
            .pluginDisabled(.app), .pluginPaused(.app, PluginPause(since: wall)),
            .identifierNotPermitted(.clean), .modeMissing(.fetch), .entitlementMissing(.healthResearch),
            .pluginTooOld(since: 2, header: 1),
            .backgroundDenied(.app), .backgroundRefreshOff(nil), .transferLibraryMissing(problem: "gone"),
            .networkNotGranted(.app),
            .transferPaused(.transfer(SubmissionNumber(rawValue: 1), of: .app)),
            .deadlinePassed(until: later), .leaseUnconfirmed("fleet", until: later), .earliestBegin(wall),
            .retryDelay(until: wall, attempts: 1), .relaunchSpacing(until: wall), .spacing(until: later),
            .kindSpacing(until: wall, .refresh, .seconds(900)),
            .dayBudget(until: wall, limit: .seconds(60)), .stagger(until: later, after: .boot),
            .useSpacing(until: wall, .seconds(1_800), unused: nil), .externalPower, .network, .metered,
            .containerLocked(.app), .resourcesMissing, .useUnknown, .notIdle, .highLoad, .batteryLow,
            .powerSaver, .memoryPressure, .heat, .downloadUnfinished(.app),
            .laneBusy(.background, LaunchNumber(rawValue: 1)),
            .othersRunAlone(first: "first"),
            .launchLimit(.background, limit: 1), .diskReserve(.bytes(free: 1, reserve: 2)), .beingRecorded,
            .runnerUnavailable(until: later, message: "none"),
            .hostStopping,
        ]
    }()

    @Test func `the sample reasons of the reason tests contain every kind of reason once`() {
        #expect(Self.reasons.map(\.kind) == ReasonKind.allCases)
    }

    @Test(.proves("C13")) func `reasons are ordered by permission, time, machine, other work and host`() {
        #expect(
            ReasonKind.allCases.map(\.row.code) == [
                "plugin-missing", "plugin-refused", "plugin-disabled", "plugin-paused",
                "identifier-not-permitted", "mode-missing",
                "entitlement-missing", "plugin-too-old", "background-denied", "background-refresh-off",
                "transfer-library-missing", "network-not-granted", "transfer-paused", "deadline-passed",
                "lease-unconfirmed", "earliest-begin", "retry-delay", "relaunch-spacing", "spacing", "kind-spacing",
                "day-budget", "stagger",
                "use-spacing", "external-power", "network", "metered",
                "container-locked", "resources-missing", "use-unknown", "not-idle", "high-load", "battery-low",
                "power-saver", "memory-pressure", "heat", "download-unfinished", "lane-busy", "others-run-alone",
                "launch-limit",
                "disk-reserve", "being-recorded", "runner-unavailable", "host-stopping",
            ]
        )
        let groups = ReasonKind.allCases.map { ReasonKind.Group.allCases.firstIndex(of: $0.row.group) ?? -1 }
        #expect(groups == groups.sorted())
    }

    @Test(arguments: ReasonKind.allCases)
    func `a reason code identifies one kind of reason, in lower case only`(_ kind: ReasonKind) {
        #expect(ReasonKind(code: kind.row.code) == kind)
        #expect(ReasonKind(code: kind.row.code.uppercased()) == nil)
    }

    @Test func `no two reasons share a message, and each has a remedy that differs from its message`() {
        #expect(Set(Self.reasons.map(\.message)).count == Self.reasons.count)
        for reason in Self.reasons { #expect(!reason.remedy.isEmpty && reason.remedy != reason.message) }
    }

    @Test
    func
        `only the remedies about transfer library and disk reserve, which a reload does not change, require a restart`()
    {
        let kinds = Self.reasons.filter { $0.remedy.contains("restart the host") }.map(\.kind)
        #expect(kinds == [.transferLibraryMissing, .diskReserve])
    }

    @Test func `the reasons lane-busy and launch-limit mention stopping launches only if stopping launches cause them`()
    {
        let launch = LaunchNumber(rawValue: 7)
        #expect(!Reason.laneBusy(.event, launch).message.contains("process"))
        #expect(Reason.laneBusy(.event, launch, isStopping: true).message.hasSuffix("whose process has not"))
        #expect(!Reason.launchLimit(.event, limit: 4).message.contains("stopping"))
        #expect(Reason.launchLimit(.event, limit: 4, stopping: 5).message.contains("5 launches are stopping"))
    }

    @Test(arguments: reasons)
    func `a reason has the conditions, the end and the traits that its group (such as time or machine) permits`(
        _ reason: Reason
    ) {
        let row = reason.kind.row
        #expect(row.conditions.isEmpty == (row.group != .machine))
        if row.group == .time { #expect(reason.end != nil) }
        if row.group == .permission || row.group == .machine { #expect(reason.end == nil) }
        if row.traits.contains(.ownTime) { #expect(row.group == .time) }
        #expect(row.traits.contains(.capacity) == [ReasonKind.launchLimit, .diskReserve].contains(reason.kind))
        // Only an operator ends such a reason.
        if row.group == .permission { #expect(row.traits.isDisjoint(with: [.momentary, .advisory])) }
    }

    @Test(.proves("C12"))
    func `only spacings, day budget, stagger, idleness, load, low battery and power saver are advisory reasons`() {
        #expect(
            ReasonKind.allCases.filter { $0.row.traits.contains(.advisory) }
                == [
                    .spacing, .kindSpacing, .dayBudget, .stagger, .useSpacing, .notIdle, .highLoad, .batteryLow,
                    .powerSaver,
                ]
        )
    }

    @Test(arguments: Condition.allCases)
    func `every condition of the machine belongs to at least one kind of reason`(_ condition: Condition) {
        #expect(ReasonKind.allCases.contains { $0.row.conditions.contains(MachineConditions(condition)) })
    }

    @Test func `each advisory reason of the machine belongs to one policy and depends on that policy's condition`() {
        let rules = Policy.allCases.compactMap { policy -> Policy.ConditionRule? in
            if case .condition(let rule) = policy.rule { rule } else { nil }
        }
        let advisory = ReasonKind.allCases.filter { $0.row.group == .machine && $0.row.traits.contains(.advisory) }
        #expect(rules.map(\.reason.kind).sorted() == advisory)
        for rule in rules {
            #expect(rule.reason.kind.row.conditions.contains(MachineConditions(rule.condition)))
        }
    }
}
