// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("A user's script overrides the configuration, and the configuration overrides every sensor")
struct LayerTests {
    private let study: PluginIdentifier
    private let readings: Readings

    init() throws {
        study = try #require(PluginIdentifier("com.example.study"))
        readings = Readings(
            conditions: [
                .externalPower: .measured(true, from: "/sys", detail: "AC is online"), .network: .missing("no netlink"),
                .lowMemory: .measured(true, from: "/proc", detail: "full"),
            ],
            containers: [study: .measured(true, from: "/containers", detail: "no key")]
        )
    }

    private func report(_ configured: ScriptedConditions = .init(), _ scripted: ScriptedConditions = .init())
        -> ConditionsReport
    {
        ConditionsReport(readings, configured: configured, scripted: scripted)
    }

    @Test func `without script and configuration the sensors decide conditions, and the report has their details`() {
        let report = report()
        #expect(report.holds(.externalPower) && report.holds(.lowMemory))
        #expect(report.origins[.externalPower]?.source == .sensor(path: "/sys", detail: "AC is online"))
        #expect(report.conditions.containerLocks == [study: true])
    }

    @Test(.proves("C16")) func `missing and unwatched conditions are reported as such and do not hold`() {
        let report = report()
        #expect(report.origins[.network] == .init(holds: false, source: .missing("no netlink")))
        #expect(report.origins[.idle] == .init(holds: false, source: .unwatched))
    }

    @Test func `the machine's use is unknown until each condition that delays work is measured, missing or scripted`() {
        var readings = readings
        func isUnknown(_ scripted: ScriptedConditions = .init()) -> Bool {
            ConditionsReport(readings, configured: .init(), scripted: scripted).conditions.isUseUnknown
        }
        let awaited = Condition.allCases.filter(\.isAwaitedTrouble)
        let said = Dictionary(uniqueKeysWithValues: awaited.map { ($0, $0 == .highLoad) })
        #expect(awaited.count > 1 && isUnknown() && !isUnknown(.init(said)))
        for condition in awaited {
            var others = said
            others[condition] = nil
            #expect(isUnknown(.init(others)), "\(condition.name)")
        }
        for condition in awaited.dropLast() { readings.conditions[condition] = .missing("no sensor") }
        #expect(isUnknown())
        if let last = awaited.last { readings.conditions[last] = .measured(false, from: "/proc", detail: "2%") }
        #expect(!isUnknown())
    }

    @Test(.proves(70)) func `a container whose lock cannot be read counts neither as locked nor as unlocked`() {
        var readings = readings
        readings.containers[study] = .missing("no mounts")
        let report = ConditionsReport(readings, configured: .init(), scripted: .init())
        #expect(report.conditions.containerLocks == [:])
        #expect(report.containers[study] == .init(holds: false, source: .missing("no mounts")))
    }

    @Test(arguments: Condition.allCases)
    func `each condition can be set by configuration and by script, without effect on the others`(condition: Condition)
    {
        for holds in [true, false] {
            let fixed = report(.init([condition: holds]))
            #expect(fixed.origins[condition] == .init(holds: holds, source: .configuration))
            let scripted = report(.init([condition: !holds]), .init([condition: holds]))
            #expect(scripted.origins[condition] == .init(holds: holds, source: .scripted))
            for other in Condition.allCases where other != condition {
                #expect(scripted.origins[other] == report().origins[other])
            }
        }
    }

    @Test func `container locks can be set by configuration, and a script's lock overrides the configured lock`() throws
    {
        let other = try #require(PluginIdentifier("com.example.other"))
        let report = report(
            .init(lockedContainers: [study: true, other: true]),
            .init(lockedContainers: [study: false])
        )
        #expect(report.conditions.containerLocks == [study: false, other: true])
        #expect(report.containers[study]?.source == .scripted && report.containers[other]?.source == .configuration)
    }

    @Test func `the conditions that the scheduler receives have the values of the report`() {
        let all = Dictionary(uniqueKeysWithValues: Condition.allCases.map { ($0, true) })
        #expect(report(.init(all)).conditions == Conditions(Condition.allCases, containerLocks: [study: true]))
    }
}
