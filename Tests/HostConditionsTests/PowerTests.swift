// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("External power follows the machine's own power supplies")
struct PowerTests {
    typealias Supply = PowerReading.Supply

    private let mains = Supply(name: "AC", type: "Mains", isOnline: true)
    private let unplugged = Supply(name: "AC", type: "Mains")

    private func battery(_ status: String) -> Supply { Supply(name: "BAT0", type: "Battery", status: status) }

    @Test(.proves("C16")) func `a machine without a battery is on external power, also with an offline USB port`() {
        #expect(PowerReading(supplies: []).isOnExternalPower)
        #expect(PowerReading(supplies: [Supply(name: "ucsi0", type: "USB")]).isOnExternalPower)
    }

    @Test func `a notebook is on external power while plugged in, and not while unplugged, even with a full battery`() {
        #expect(PowerReading(supplies: [mains, battery("Charging")]).isOnExternalPower)
        #expect(!PowerReading(supplies: [unplugged, battery("Discharging")]).isOnExternalPower)
        #expect(!PowerReading(supplies: [unplugged, battery("Full")]).isOnExternalPower)
    }

    @Test func `one connected power supply of several is enough for external power`() {
        let port = Supply(name: "ucsi0", type: "USB", isOnline: true)
        #expect(PowerReading(supplies: [unplugged, port, battery("Charging")]).isOnExternalPower)
    }

    @Test(arguments: [
        ("Charging", true), ("Full", true), ("Not charging", true), ("Discharging", false), ("Unknown", false),
        ("", false),
    ])
    func `without a mains supply a battery means external power unless it discharges or its status is unknown`(
        _ status: String,
        holds: Bool
    ) {
        #expect(PowerReading(supplies: [battery(status)]).isOnExternalPower == holds)
        let supply = Supply(name: "ups", type: "UPS", status: status)
        #expect(PowerReading(supplies: [supply]).isOnExternalPower == holds)
    }

    @Test func `power supplies are read from the kernel's files, without those of peripheral devices`() throws {
        let tree = try FileTree()
        let directory = "sys/class/power_supply"
        try tree.write(in: "\(directory)/AC", ["type": "Mains\n", "online": "0\n"])
        try tree.write(in: "\(directory)/BAT0", ["type": "Battery\n", "status": "Discharging\n", "present": "1\n"])
        try tree.write(in: "\(directory)/BAT1", ["type": "Battery\n", "status": "Unknown\n", "present": "0\n"])
        try tree.write(in: "\(directory)/mouse", ["type": "Battery\n", "status": "Full\n", "scope": "Device\n"])
        let reading = try PowerReading(directory: "\(tree.path)/\(directory)")
        #expect(reading.supplies == [unplugged, battery("Discharging")])
        #expect(reading.words == "AC offline")
    }

    @Test(arguments: [("[source] sink", false), ("source [sink]", true), ("sink", true)])
    func `a USB port that supplies the connected device is not external power`(role: String, holds: Bool) throws {
        let tree = try FileTree()
        let directory = "sys/class/power_supply"
        try tree.write(in: "\(directory)/BAT0", ["type": "Battery", "status": "Discharging"])
        try tree.write(in: "\(directory)/ucsi0", ["type": "USB", "online": "1", "device/typec/port0/power_role": role])
        #expect(PowerSensor(tree.roots, at: .now).reading(.externalPower)?.holds == holds)
    }

    // MARK: The battery

    @Test func `batteries count by their size when all give it in one unit, else by the mean of their percentages`() {
        func charge(_ batteries: [(capacity: Int?, store: PowerReading.Store?)]) -> Double? {
            PowerReading(
                supplies: batteries.map { Supply(name: "BAT", type: "Battery", capacity: $0.capacity, store: $0.store) }
            ).charge
        }
        let large = PowerReading.Store(unit: "energy", now: 10, full: 90)
        let small = PowerReading.Store(unit: "energy", now: 10, full: 10)
        let other = PowerReading.Store(unit: "charge", now: 10, full: 10)
        #expect(charge([(11, large), (100, small)]) == 0.2)
        #expect(charge([(10, large), (100, other)]) == 0.55)
        #expect(charge([(10, large), (30, nil)]) == 0.2)
        #expect(charge([(nil, nil), (30, nil)]) == 0.3)
        #expect(charge([(nil, nil)]) == nil && charge([]) == nil)
    }

    private static let directory = "sys/class/power_supply"

    private func sensor(_ tree: FileTree, watched: Bool = true) -> PowerSensor {
        let sensor = PowerSensor(tree.roots, at: .seconds(0))
        if watched { sensor.watch([.batteryLow], at: .seconds(0)) }
        return sensor
    }

    private func isLow(_ sensor: PowerSensor, _ tree: FileTree, _ capacity: Int, _ status: String = "Discharging")
        throws
        -> Bool?
    {
        let files = ["type": "Battery", "status": status, "capacity": "\(capacity)"]
        try tree.write(in: "\(Self.directory)/BAT0", files)
        sensor.sample(at: .seconds(1))
        return sensor.reading(.batteryLow)?.holds
    }

    @Test func `a battery is low from the threshold until its charge is well above the threshold`() throws {
        let tree = try FileTree()
        let sensor = sensor(tree)
        let lows = try [21, 20, 25, 26, 21].map { try isLow(sensor, tree, $0) }
        #expect(lows == [false, true, true, false, false])
        #expect(sensor.reading(.batteryLow)?.detail == "BAT0 discharging, batteries at 21 %")
    }

    @Test func `external power ends the low battery condition, which returns only at the threshold`() throws {
        let tree = try FileTree()
        let sensor = sensor(tree)
        #expect(try isLow(sensor, tree, 10) == true)
        #expect(try isLow(sensor, tree, 10, "Charging") == false)
        #expect(try isLow(sensor, tree, 22) == false)
        #expect(try isLow(sensor, tree, 20) == true)
    }

    @Test func `without a battery, or with an invalid charge, the low battery condition is reported as missing`() throws
    {
        let tree = try FileTree()
        try tree.write(in: "\(Self.directory)/AC", ["type": "Mains", "online": "0"])
        try tree.write(in: "\(Self.directory)/mouse", ["type": "Battery", "scope": "Device", "capacity": "3"])
        try tree.write(in: "\(Self.directory)/ups", ["type": "UPS", "status": "Discharging", "capacity": "3"])
        #expect(sensor(tree).reading(.batteryLow)?.isMissing == true)
        try tree.write(in: "\(Self.directory)/BAT0", ["type": "Battery", "status": "Discharging", "capacity": "300"])
        #expect(sensor(tree).reading(.batteryLow)?.isMissing == true)
        #expect(sensor(try FileTree()).reading(.batteryLow)?.isMissing == true)
    }

    @Test func `the battery's charge is sampled only while the low battery condition is watched`() throws {
        let tree = try FileTree()
        let sensor = sensor(tree, watched: false)
        #expect(try isLow(sensor, tree, 10) == false)
        #expect(sensor.reading(.batteryLow) == .unwatched && sensor.nextSample == nil)
        sensor.watch([.batteryLow, .idle], at: .seconds(2))
        #expect(sensor.reading(.batteryLow)?.holds == true && sensor.nextSample == .seconds(32))
        sensor.watch([.idle], at: .seconds(3))
        #expect(sensor.reading(.batteryLow) == .unwatched && sensor.nextSample == nil)
    }

    @Test func `malformed power supply files give no external power and cause no crash`() throws {
        let tree = try FileTree()
        let directory = "sys/class/power_supply"
        try tree.write(in: "\(directory)/AC", ["type": "Mains", "online": "yes"])
        try tree.write(in: "\(directory)/BAT0", ["type": "Battery", "status": "\u{0}\u{1}"])
        try tree.write(in: "\(directory)/empty", ["type": ""])
        try tree.write("\(directory)/file", "no directory")
        let sensor = PowerSensor(tree.roots, at: .now)
        #expect(sensor.reading(.externalPower)?.holds == false)
    }

    @Test func `without a power supply class the machine has no battery; without sysfs external power is missing`()
        throws
    {
        let tree = try FileTree()
        #expect(PowerSensor(tree.roots, at: .now).reading(.externalPower)?.isMissing == true)
        try tree.directory("sys/class")
        let reading = PowerSensor(tree.roots, at: .now).reading(.externalPower)
        #expect(reading == .measured(true, from: tree.roots.sys + "/class/power_supply", detail: "no battery"))
    }
}

@Suite("Only the kernel's device events are accepted")
struct DeviceEventTests {
    private func event(_ pieces: [String]) -> DeviceEvent? {
        DeviceEvent(parsing: Array(pieces.joined(separator: "\0").utf8)[...])
    }

    @Test func `a kernel device event is parsed into action, subsystem and device path`() {
        let event = event(["change@/devices/AC", "ACTION=change", "DEVPATH=/devices/AC", "SUBSYSTEM=power_supply", ""])
        #expect(event?.action == "change")
        #expect(event?.subsystem == "power_supply")
        #expect(event?.device == "/devices/AC")
    }

    @Test(arguments: [
        [""], ["libudev", "SUBSYSTEM=power_supply", "ACTION=change"], ["change@/x"], ["change@/x", "SUBSYSTEM"],
        ["change@/x", "=", "ACTION=", "="],
    ])
    func `a truncated device event and an event of another sender are not parsed`(_ pieces: [String]) {
        #expect(event(pieces) == nil)
    }

    @Test(.enabled(if: Machine.isRoot, "announcing a device takes root"))
    func `a device event of this machine's kernel arrives and is parsed`() throws {
        let socket = try NetlinkSocket(protocol: Machine.deviceEvents, groups: 1)
        try Machine.announce("/sys/class/mem/null/uevent")
        guard case .messages(let messages) = socket.drain() else { return #expect(Bool(false), "some were lost") }
        let events = messages.compactMap { DeviceEvent(parsing: $0) }
        #expect(events.contains { $0.subsystem == "mem" && $0.action == "change" && $0.device.hasSuffix("/null") })
    }
}
