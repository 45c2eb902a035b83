// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("The session manager decides whether the machine is in use", .serialized)
struct SessionTests {
    @Test func `without a message bus the session manager is reported as missing`() throws {
        let sessions = SessionManager(address: "unix:path=\(try FileTree().path)/bus")
        sessions.ask()
        guard case .missing(let why) = sessions.presence else { return #expect(Bool(false), "it is guessed") }
        #expect(why.contains("/bus: "))
        #expect(sessions.awaited == nil)
    }

    @Test(.enabled(if: SessionBus.isAllowed, "a bus takes dbus-daemon and systemd's client library"))
    func `a session manager that joins the bus later is noticed`() throws {
        let bus = try SessionBus()
        let sensor = try watched(bus, every: .milliseconds(20))
        #expect(sensor.listens { self.words(sensor).contains("org.freedesktop.login1 is not on the bus") })
        let manager = try StandInManager(on: bus.address, isIdle: true)
        defer { manager.stop() }
        #expect(sensor.listens { self.words(sensor).contains("no session is active") })
    }

    @Test(.proves("C16"), .enabled(if: SessionBus.isAllowed, "a bus takes dbus-daemon and systemd's client library"))
    func `an active user session ends idleness at once`() throws {
        let bus = try SessionBus()
        let manager = try StandInManager(on: bus.address, isIdle: true)
        defer { manager.stop() }
        let sensor = try watched(bus)
        func isIdle() -> Bool { sensor.reading(.idle)?.holds ?? false }
        #expect(sensor.listens(until: isIdle))
        #expect(sensor.nextLook.map { $0 > .now + .seconds(1_000) } ?? false, "only a signal can tell from now on")

        manager.becomes(idle: false)
        #expect(sensor.listens { !isIdle() })
        #expect(words(sensor).hasPrefix("a session is active; "))
        manager.becomes(idle: true)
        #expect(sensor.listens(until: isIdle))

        sensor.watch([], at: .now)
        #expect(sensor.awaited == nil)
    }

    @Test(.enabled(if: SessionBus.isAllowed, "a bus takes dbus-daemon and systemd's client library"))
    func `a message bus that goes away makes the session manager missing`() throws {
        let bus = try SessionBus()
        let manager = try StandInManager(on: bus.address, isIdle: true)
        defer { manager.stop() }
        let sensor = try watched(bus)
        #expect(sensor.listens { self.words(sensor).contains("no session is active") })
        bus.stop()
        #expect(sensor.listens { self.words(sensor).contains("session activity is unknown: ") })
        #expect(sensor.awaited == nil)
    }

    /// An idle sensor on a quiet machine; the default interval is so long that only signals matter.
    private func watched(_ bus: SessionBus, every interval: Duration = .seconds(3_600)) throws -> IdleSensor {
        try bus.tree.write("proc/stat", "cpu  1 0 0 5000 0 0 0 0 0 0\ncpu0 0 0 0 0\n")
        var roots = bus.tree.roots
        roots.systemBus = bus.address
        var thresholds = ConditionThresholds()
        thresholds.sampleInterval = interval
        let sensor = IdleSensor(roots, thresholds, LaunchUsage { nil })
        let now = MonotonicTime.now
        sensor.watch([.idle], at: now + .seconds(-7_200))
        sensor.look(at: now)
        return sensor
    }

    private func words(_ sensor: IdleSensor) -> String { sensor.reading(.idle)?.detail ?? "" }
}
