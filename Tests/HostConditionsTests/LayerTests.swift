// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("A person's script wins over the operator's word, and that over every sensor")
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

    @Test func `without a word the sensors decide, and say what they read`() {
        let report = report()
        #expect(report.holds(.externalPower) && report.holds(.lowMemory))
        #expect(report.origins[.externalPower]?.source == .sensor(path: "/sys", detail: "AC is online"))
        #expect(report.conditions.containerLocks == [study: true])
    }

    @Test(.proves("C16")) func `what is missing or not looked at is shown as such, and not claimed`() {
        let report = report()
        #expect(report.origins[.network] == .init(holds: false, source: .missing("no netlink")))
        #expect(report.origins[.idle] == .init(holds: false, source: .unwatched))
    }

    @Test func `how busy and hot the machine is counts as known once somebody looked at both, or said so`() {
        var readings = readings
        func isUnknown(_ scripted: ScriptedConditions = .init()) -> Bool {
            ConditionsReport(readings, configured: .init(), scripted: scripted).conditions.isUseUnknown
        }
        #expect(isUnknown() && isUnknown(.init([.hot: false])))
        #expect(!isUnknown(.init([.hot: false, .highLoad: true])))
        readings.conditions[.hot] = .missing("no zone")
        #expect(isUnknown())
        readings.conditions[.highLoad] = .measured(false, from: "/proc", detail: "2%")
        #expect(!isUnknown())
    }

    @Test(.proves(70)) func `a container that nobody can look at is neither locked nor open`() {
        var readings = readings
        readings.containers[study] = .missing("no mounts")
        let report = ConditionsReport(readings, configured: .init(), scripted: .init())
        #expect(report.conditions.containerLocks == [:])
        #expect(report.containers[study] == .init(holds: false, source: .missing("no mounts")))
    }

    @Test(arguments: Condition.allCases)
    func `each condition alone can be fixed and scripted, either way`(condition: Condition) {
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

    @Test func `each container can be said to be locked or not`() throws {
        let other = try #require(PluginIdentifier("com.example.other"))
        let report = report(
            .init(lockedContainers: [study: true, other: true]),
            .init(lockedContainers: [study: false])
        )
        #expect(report.conditions.containerLocks == [study: false, other: true])
        #expect(report.containers[study]?.source == .scripted && report.containers[other]?.source == .configuration)
    }

    @Test func `what decisions go by is what holds`() {
        let all = Dictionary(uniqueKeysWithValues: Condition.allCases.map { ($0, true) })
        #expect(
            report(.init(all)).conditions
                == Conditions(
                    isOnExternalPower: true,
                    hasNetwork: true,
                    isIdle: true,
                    isLoadHigh: true,
                    isMemoryLow: true,
                    isHot: true,
                    containerLocks: [study: true],
                    resources: .gpu
                )
        )
    }
}
