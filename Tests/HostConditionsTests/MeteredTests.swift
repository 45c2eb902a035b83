// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BusTestKit
import LinuxSystem
import MessageBus
import TaskModel
import Testing

@testable import HostConditions

@Suite(
    "The network is metered while NetworkManager counts it as metered",
    .serialized,
    .enabled(if: PrivateBus.isAvailable && BusLibrary.loaded != nil, "takes dbus, python3-dbusmock and libsystemd0")
)
struct MeteredTests {
    private static let manager = MockServices.Object(
        "org.freedesktop.NetworkManager",
        path: "/org/freedesktop/NetworkManager",
        interface: "org.freedesktop.NetworkManager"
    )

    private let bus: PrivateBus
    private let services: MockServices
    private let sensor: MeteredSensor

    init() throws {
        bus = try PrivateBus()
        services = try MockServices(on: bus)
        var roots = try FileTree().roots
        roots.systemBus = BusAddress(bus.address)
        sensor = MeteredSensor(roots)
    }

    private func isMetered() -> Bool { sensor.reading(.metered)?.holds ?? false }

    @Test func `the metered condition follows NetworkManager's signals about the network, without a timer`() throws {
        try services.start(Self.manager, ["Metered": 4])
        sensor.watch([.metered], at: .now)
        #expect(sensor.listens { sensor.reading(.metered)?.detail == "metered is guess-no" })
        #expect(!isMetered())
        for (code, word) in [(1, "yes"), (3, "guess-yes")] {
            try services.change(Self.manager, ["Metered": code])
            #expect(sensor.listens { sensor.reading(.metered)?.detail == "metered is \(word)" })
            #expect(isMetered())
        }
        #expect(sensor.listens { sensor.nextSample == nil }, "only a signal can change it from now on")
        for code in [0, 2] {
            try services.change(Self.manager, ["Metered": 1])
            #expect(sensor.listens(until: isMetered))
            try services.change(Self.manager, ["Metered": code])
            #expect(sensor.listens { !isMetered() })
        }
    }

    @Test func `the metered condition is missing while NetworkManager is not on the bus`() throws {
        sensor.watch([.metered], at: .now)
        #expect(sensor.listens { sensor.reading(.metered)?.isMissing == true })
        #expect(!isMetered())
        try services.start(Self.manager, ["Metered": 1])
        #expect(sensor.listens(until: isMetered))
        try services.stop("org.freedesktop.NetworkManager")
        #expect(sensor.listens { sensor.reading(.metered)?.isMissing == true })
    }

    @Test func `the sensor of metered networks awaits no event and no sample while it is not watched`() throws {
        try services.start(Self.manager, ["Metered": 1])
        #expect(sensor.awaited == nil && sensor.nextSample == nil)
        sensor.watch([.idle, .metered], at: .now)
        #expect(sensor.listens(until: isMetered))
        sensor.watch([.idle], at: .now)
        #expect(sensor.awaited == nil && sensor.nextSample == nil)
        #expect(sensor.reading(.metered) == .unwatched)
    }

    @Test func `a property Metered that is no number makes the condition missing`() throws {
        try services.start(Self.manager, ["Metered": "yes"])
        sensor.watch([.metered], at: .now)
        #expect(sensor.listens { sensor.reading(.metered)?.isMissing == true })
    }
}
