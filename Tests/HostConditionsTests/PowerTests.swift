// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("External power is what the machine's own supplies say")
struct PowerTests {
    typealias Supply = PowerReading.Supply

    private let mains = Supply(name: "AC", type: "Mains", isOnline: true)
    private let unplugged = Supply(name: "AC", type: "Mains")

    private func battery(_ status: String) -> Supply { Supply(name: "BAT0", type: "Battery", status: status) }

    @Test(.proves("C16")) func `a machine without a battery is on external power, whatever its ports say`() {
        #expect(PowerReading(supplies: []).isOnExternalPower)
        #expect(PowerReading(supplies: [Supply(name: "ucsi0", type: "USB")]).isOnExternalPower)
    }

    @Test func `a plugged in notebook is on external power, an unplugged one is not`() {
        #expect(PowerReading(supplies: [mains, battery("Charging")]).isOnExternalPower)
        #expect(!PowerReading(supplies: [unplugged, battery("Discharging")]).isOnExternalPower)
        #expect(!PowerReading(supplies: [unplugged, battery("Full")]).isOnExternalPower)
    }

    @Test func `one of several lines is enough`() {
        let port = Supply(name: "ucsi0", type: "USB", isOnline: true)
        #expect(PowerReading(supplies: [unplugged, port, battery("Charging")]).isOnExternalPower)
    }

    @Test(arguments: [
        ("Charging", true), ("Full", true), ("Not charging", true), ("Discharging", false), ("Unknown", false),
        ("", false),
    ])
    func `a battery that shows no line is believed only if it says that it is not used up`(
        _ status: String,
        holds: Bool
    ) {
        #expect(PowerReading(supplies: [battery(status)]).isOnExternalPower == holds)
        let supply = Supply(name: "ups", type: "UPS", status: status)
        #expect(PowerReading(supplies: [supply]).isOnExternalPower == holds)
    }

    @Test func `supplies are read as the kernel shows them`() throws {
        let tree = try FileTree()
        let folder = "sys/class/power_supply"
        try tree.write(in: "\(folder)/AC", ["type": "Mains\n", "online": "0\n"])
        try tree.write(in: "\(folder)/BAT0", ["type": "Battery\n", "status": "Discharging\n", "present": "1\n"])
        try tree.write(in: "\(folder)/BAT1", ["type": "Battery\n", "status": "Unknown\n", "present": "0\n"])
        try tree.write(in: "\(folder)/mouse", ["type": "Battery\n", "status": "Full\n", "scope": "Device\n"])
        let reading = try PowerReading(folder: "\(tree.path)/\(folder)")
        #expect(reading.supplies == [unplugged, battery("Discharging")])
        #expect(reading.words == "AC offline")
    }

    @Test(arguments: [("[source] sink", false), ("source [sink]", true), ("sink", true)])
    func `a port that feeds what is plugged into it does not feed the machine`(role: String, holds: Bool) throws {
        let tree = try FileTree()
        let folder = "sys/class/power_supply"
        try tree.write(in: "\(folder)/BAT0", ["type": "Battery", "status": "Discharging"])
        try tree.write(in: "\(folder)/ucsi0", ["type": "USB", "online": "1", "device/typec/port0/power_role": role])
        #expect(PowerSensor(tree.roots, at: .now).reading(.externalPower)?.holds == holds)
    }

    @Test func `malformed supplies are no external power, and crash nothing`() throws {
        let tree = try FileTree()
        let folder = "sys/class/power_supply"
        try tree.write(in: "\(folder)/AC", ["type": "Mains", "online": "yes"])
        try tree.write(in: "\(folder)/BAT0", ["type": "Battery", "status": "\u{0}\u{1}"])
        try tree.write(in: "\(folder)/empty", ["type": ""])
        try tree.write("\(folder)/file", "no folder")
        let sensor = PowerSensor(tree.roots, at: .now)
        #expect(sensor.reading(.externalPower)?.holds == false)
    }

    @Test func `a kernel without power supplies has no battery, one that cannot be seen is missing`() throws {
        let tree = try FileTree()
        #expect(PowerSensor(tree.roots, at: .now).reading(.externalPower)?.isMissing == true)
        try tree.folder("sys/class")
        let reading = PowerSensor(tree.roots, at: .now).reading(.externalPower)
        #expect(reading == .measured(true, from: tree.roots.sys + "/class/power_supply", detail: "no battery"))
    }
}

@Suite("The kernel's announcements of devices are understood, and nothing else is")
struct DeviceEventTests {
    private func event(_ pieces: [String]) -> DeviceEvent? {
        DeviceEvent(parsing: Array(pieces.joined(separator: "\0").utf8)[...])
    }

    @Test func `an announcement names what happened to which device`() {
        let event = event(["change@/devices/AC", "ACTION=change", "DEVPATH=/devices/AC", "SUBSYSTEM=power_supply", ""])
        #expect(event?.action == "change")
        #expect(event?.subsystem == "power_supply")
        #expect(event?.device == "/devices/AC")
    }

    @Test(arguments: [
        [""], ["libudev", "SUBSYSTEM=power_supply", "ACTION=change"], ["change@/x"], ["change@/x", "SUBSYSTEM"],
        ["change@/x", "=", "ACTION=", "="],
    ])
    func `what is cut short or of another kind is nothing`(_ pieces: [String]) { #expect(event(pieces) == nil) }

    @Test(.enabled(if: Machine.isRoot, "announcing a device takes root"))
    func `the kernel's own announcement arrives and is understood`() throws {
        let socket = try NetlinkSocket(protocol: Machine.deviceEvents, groups: 1)
        try Machine.announce("/sys/class/mem/null/uevent")
        guard case .messages(let messages) = socket.drain() else { return #expect(Bool(false), "some were lost") }
        let events = messages.compactMap { DeviceEvent(parsing: $0) }
        #expect(events.contains { $0.subsystem == "mem" && $0.action == "change" && $0.device.hasSuffix("/null") })
    }
}
