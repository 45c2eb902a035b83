// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("Whether somebody is at the machine is the session manager's word", .serialized)
struct SessionTests {
    @Test func `a machine without a bus is missing a session manager`() throws {
        let sessions = SessionManager(address: "unix:path=\(try FileTree().path)/bus")
        sessions.ask()
        guard case .missing(let why) = sessions.presence else { return #expect(Bool(false), "it is guessed") }
        #expect(why.contains("/bus: "))
        #expect(sessions.awaited == nil)
    }

    @Test(.enabled(if: SessionBus.isAllowed, "a bus takes dbus-daemon and systemd's client library"))
    func `a bus without a session manager is missing one, and notices when one comes`() throws {
        let bus = try SessionBus()
        let sensor = try watched(bus, every: .milliseconds(20))
        #expect(sensor.listens { self.words(sensor).contains("org.freedesktop.login1 is not on the bus") })
        let manager = try StandInManager(on: bus.address, isIdle: true)
        defer { manager.stop() }
        #expect(sensor.listens { self.words(sensor).contains("no session is active") })
    }

    @Test(.proves("C16"), .enabled(if: SessionBus.isAllowed, "a bus takes dbus-daemon and systemd's client library"))
    func `somebody who comes to the machine ends its idleness at once`() throws {
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
    func `a bus that goes away is missing from then on`() throws {
        let bus = try SessionBus()
        let manager = try StandInManager(on: bus.address, isIdle: true)
        defer { manager.stop() }
        let sensor = try watched(bus)
        #expect(sensor.listens { self.words(sensor).contains("no session is active") })
        bus.stop()
        #expect(sensor.listens { self.words(sensor).contains("session activity is unknown: ") })
        #expect(sensor.awaited == nil)
    }

    /// A quiet machine that is sampled so seldom that it does not matter, unless it is to be.
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
