// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BusTestKit
import LinuxSystem
import MessageBus
import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("The session manager decides whether the machine is in use", .serialized)
struct SessionTests {
    private static let manager = MockServices.Object(
        "org.freedesktop.login1",
        path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager"
    )

    private let tree: FileTree

    init() throws { tree = try FileTree() }

    @Test func `without a message bus the session manager is reported as missing`() throws {
        let sessions = SessionManager(address: tree.roots.systemBus)
        sessions.open(at: .now)
        guard case .missing(let why) = sessions.presence else { return #expect(Bool(false), "it is guessed") }
        #expect(why.contains("/bus: ") || why.contains(BusLibrary.name))
        #expect(sessions.awaited == nil)
    }

    @Test(.enabled(if: PrivateBus.isAvailable, "takes dbus and python3-dbusmock"))
    func `a session manager that joins the bus later is noticed`() throws {
        let bus = try PrivateBus()
        let sensor = try watched(bus)
        #expect(sensor.listens { self.words(sensor).contains("org.freedesktop.login1 is not on the bus") })
        let services = try MockServices(on: bus)
        try services.start(Self.manager, ["IdleHint": true])
        #expect(sensor.listens { self.words(sensor).contains("no session is active") })
    }

    @Test(.proves("C16"), .enabled(if: PrivateBus.isAvailable, "takes dbus and python3-dbusmock"))
    func `a session that becomes active ends idleness by a signal, without waiting for the next sample`() throws {
        let bus = try PrivateBus()
        let services = try MockServices(on: bus)
        try services.start("org.freedesktop.login1", template: "logind", ["IdleHint": true])
        let sensor = try watched(bus)
        func isIdle() -> Bool { sensor.reading(.idle)?.holds ?? false }
        #expect(sensor.listens(until: isIdle))
        #expect(
            sensor.nextSample.map { $0 > .now + .seconds(1_000) } ?? false,
            "only a signal can change it from now on"
        )

        try services.change(Self.manager, ["IdleHint": false])
        #expect(sensor.listens { !isIdle() })
        #expect(words(sensor).hasPrefix("a session is active; "))
        try services.change(Self.manager, ["IdleHint": true])
        #expect(sensor.listens(until: isIdle))

        sensor.watch([], at: .now)
        #expect(sensor.awaited == nil && sensor.nextSample == nil)
    }

    @Test(.enabled(if: PrivateBus.isAvailable, "takes dbus and python3-dbusmock"))
    func `the loss of the message bus makes the session manager missing`() throws {
        let bus = try PrivateBus()
        let services = try MockServices(on: bus)
        try services.start(Self.manager, ["IdleHint": true])
        let sensor = try watched(bus)
        #expect(sensor.listens { self.words(sensor).contains("no session is active") })
        bus.stop()
        #expect(sensor.listens { self.words(sensor).contains("session activity is unknown: ") })
    }

    /// A sensor of a quiet machine that is sampled so rarely that only the bus matters.
    private func watched(_ bus: PrivateBus) throws -> IdleSensor {
        try tree.write("proc/stat", "cpu  1 0 0 5000 0 0 0 0 0 0\ncpu0 0 0 0 0\n")
        var roots = tree.roots
        roots.systemBus = BusAddress(bus.address)
        var thresholds = ConditionThresholds()
        thresholds.sampleInterval = .seconds(3_600)
        let sensor = IdleSensor(roots, thresholds, LaunchUsage { nil })
        let now = MonotonicTime.now
        sensor.watch([.idle], at: now + .seconds(-7_200))
        sensor.sample(at: now)
        return sensor
    }

    private func words(_ sensor: IdleSensor) -> String { sensor.reading(.idle)?.detail ?? "" }
}
