// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BusTestKit
import LinuxSystem
import MessageBus
import TaskModel
import Testing

@testable import HostConditions

@Suite(
    "The machine saves power while the active profile of power-profiles-daemon is power-saver",
    .serialized,
    .enabled(if: PrivateBus.isAvailable && BusLibrary.loaded != nil, "takes dbus, python3-dbusmock and libsystemd0")
)
struct PowerSaverTests {
    private static let old = MockServices.Object(
        "net.hadess.PowerProfiles",
        path: "/net/hadess/PowerProfiles",
        interface: "net.hadess.PowerProfiles"
    )
    private static let new = MockServices.Object(
        "org.freedesktop.UPower.PowerProfiles",
        path: "/org/freedesktop/UPower/PowerProfiles",
        interface: "org.freedesktop.UPower.PowerProfiles"
    )

    private let bus: PrivateBus
    private let services: MockServices
    private let sensor: PowerSaverSensor

    init() throws {
        bus = try PrivateBus()
        services = try MockServices(on: bus)
        var roots = try FileTree().roots
        roots.systemBus = BusAddress(bus.address)
        sensor = PowerSaverSensor(roots)
    }

    private func saves() -> Bool { sensor.reading(.powerSaver)?.holds ?? false }

    @Test
    func `the power saver condition follows the daemon's signals about the active profile, without a timer`() throws {
        try services.start("net.hadess.PowerProfiles", template: "power_profiles_daemon")
        sensor.watch([.powerSaver], at: .now)
        #expect(sensor.listens { sensor.reading(.powerSaver)?.detail == "the active profile is balanced" })
        #expect(!saves())
        try services.change(Self.old, ["ActiveProfile": "power-saver"])
        #expect(sensor.listens(until: saves))
        #expect(sensor.listens { sensor.nextSample == nil }, "only a signal can change it from now on")
        try services.change(Self.old, ["ActiveProfile": "performance"])
        #expect(sensor.listens { !saves() })
    }

    @Test func `power-profiles-daemon is found under its new bus name`() throws {
        try services.start(Self.new, ["ActiveProfile": "power-saver"])
        sensor.watch([.powerSaver], at: .now)
        #expect(sensor.listens(until: saves))
        let detail = "the active profile is power-saver"
        #expect(
            sensor.reading(.powerSaver)
                == .measured(true, from: "org.freedesktop.UPower.PowerProfiles", detail: detail)
        )
    }

    @Test func `the power saver condition is missing while power-profiles-daemon is not on the bus`() throws {
        sensor.watch([.powerSaver], at: .now)
        #expect(sensor.listens { sensor.reading(.powerSaver)?.isMissing == true })
        #expect(!saves())
        try services.start(Self.old, ["ActiveProfile": "power-saver"])
        #expect(sensor.listens(until: saves))
        try services.stop("net.hadess.PowerProfiles")
        #expect(sensor.listens { sensor.reading(.powerSaver)?.isMissing == true })
    }

    @Test func `the power saver sensor awaits no event and no sample while its condition is not watched`() throws {
        try services.start(Self.old, ["ActiveProfile": "power-saver"])
        #expect(sensor.awaited == nil && sensor.nextSample == nil)
        sensor.watch([.idle, .powerSaver], at: .now)
        #expect(sensor.listens(until: saves))
        sensor.watch([.idle], at: .now)
        #expect(sensor.awaited == nil && sensor.nextSample == nil)
        #expect(sensor.reading(.powerSaver) == .unwatched)
    }

    @Test func `a power profile that is not a text makes the power saver condition missing`() throws {
        try services.start(Self.old, ["ActiveProfile": true])
        sensor.watch([.powerSaver], at: .now)
        #expect(sensor.listens { sensor.reading(.powerSaver)?.isMissing == true })
    }
}
