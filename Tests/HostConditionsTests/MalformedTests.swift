// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostConditions

@Suite("Malformed files of the system are read without a crash, and cause no high load, heat or low memory")
struct MalformedTests {
    private static let words = [
        "cpu ", "cpu0", "some ", "avg10=", "total=", "Where=", "/", "\\", "0", "40", "\n", "\n\n", " ", "\t", "-",
        " - ", "#",
        "99999999999999999999", "-1", "nan", "1e999", "=", "(", ")", "\0", "\u{FFFD}", "ext4", "autofs", "@", "ACTION=",
        "SUBSYSTEM=",
    ]

    @Test(arguments: 0..<20)
    func `random texts in place of the kernel's files are parsed without a crash`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...30, using: &generator))
                .compactMap { _ in Self.words.randomElement(using: &generator) }.joined()
            if let reading = PressureReading(parsing: text) {
                #expect(reading.average.isFinite && reading.total >= .zero)
            }
            if let ticks = LoadSample.busyTicks(in: text) { #expect(ticks >= 0) }
            #expect(MountTable.points(inTable: text).allSatisfy { $0.hasPrefix("/") })
            #expect(MountTable.mounted(inInfo: text).count <= text.count)
            #expect((MountTable.point(inUnit: text)?.count ?? 0) <= text.count)
            if let entry = ProcessTimes.Entry(parsing: text) { #expect(entry.ticks >= 0 && entry.reapedTicks >= 0) }
            if let event = DeviceEvent(parsing: Array(text.utf8)[...]) { #expect(text.contains(event.subsystem)) }
        }
    }

    @Test(arguments: 0..<10)
    func `sensors on random files report no high load, no heat and no low memory`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let tree = try FileTree()
        let names = [
            "sys/class/power_supply/AC/type", "sys/class/power_supply/AC/online", "sys/class/power_supply/BAT0/status",
            "sys/class/thermal/thermal_zone0/temp", "sys/class/thermal/thermal_zone0/trip_point_0_type",
            "sys/class/thermal/thermal_zone0/trip_point_0_temp", "proc/stat", "proc/pressure/cpu",
            "proc/pressure/memory",
            "proc/self/mountinfo", "etc/fstab", "etc/units/x.mount",
        ]
        for name in names {
            let text = (0..<10).compactMap { _ in Self.words.randomElement(using: &generator) }.joined()
            try tree.write(name, text)
        }
        let thresholds = ConditionThresholds()
        let idle = IdleSensor(tree.roots, thresholds, LaunchUsage { nil })
        let heat = HeatSensor(tree.roots, thresholds)
        idle.watch([.idle, .highLoad], at: .seconds(1))
        heat.watch([.hot], at: .seconds(1))
        idle.sample(at: .seconds(100))
        #expect(idle.reading(.highLoad)?.holds == false)
        #expect(heat.reading(.hot)?.holds == false)
        #expect(MemorySensor(tree.roots, thresholds).reading(.lowMemory)?.holds == false)
        _ = PowerSensor(tree.roots, at: .seconds(1)).reading(.externalPower)
    }
}
