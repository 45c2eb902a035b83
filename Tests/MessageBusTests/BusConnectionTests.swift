// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BusTestKit
import CLinux
import LinuxSystem
import TaskModel
import Testing

@testable import MessageBus

@Suite(
    "A connection follows the services of its bus without blocking its thread",
    .serialized,
    .enabled(if: PrivateBus.isAvailable && BusLibrary.loaded != nil, "takes dbus, python3-dbusmock and libsystemd0")
)
struct BusConnectionTests {
    static let lamp = MockServices.Object("org.example.Lamp", path: "/org/example/Lamp", interface: "org.example.Lamp1")

    private let bus: PrivateBus
    private let services: MockServices
    private let connection: BusConnection
    private let color = BusProperty(
        "Color",
        of: "org.example.Lamp1",
        at: "/org/example/Lamp",
        service: "org.example.Lamp"
    )

    init() throws {
        bus = try PrivateBus()
        services = try MockServices(on: bus)
        connection = BusConnection(BusAddress(bus.address))
        connection.follow(color)
    }

    /// Dispatches the connection until `isSo` returns true. Returns false after 20 seconds.
    private func turns(until isSo: () -> Bool) throws -> Bool {
        let deadline = MonotonicTime.now + .seconds(20)
        while !isSo() {
            if MonotonicTime.now > deadline { return false }
            let poll = try EpollSet<Int>()
            if let (descriptor, isWriting) = connection.awaited {
                try poll.add(descriptor, 0, events: BGL_READABLE | (isWriting ? BGL_WRITABLE : 0))
            }
            _ = poll.wait(timeout: min(connection.nextTurn ?? deadline, deadline) - .now)
            if let (descriptor, _) = connection.awaited { poll.remove(descriptor, 0) }
            connection.dispatch(at: .now)
        }
        return true
    }

    @Test func `a D-Bus property is read when the connection opens, and after a change`() throws {
        try services.start(Self.lamp, ["Color": "red"])
        #expect(color.reading == .unread)
        connection.open(at: .now)
        #expect(try turns { color.reading == .value(.text("red")) })
        try services.change(Self.lamp, ["Color": "green"])
        #expect(try turns { color.reading == .value(.text("green")) })
    }

    @Test
    func `the property of a D-Bus service is read when the service appears, and unavailable when it leaves`() throws {
        connection.open(at: .now)
        #expect(try turns { color.reading == .unavailable("org.example.Lamp is not on the bus") })
        try services.start(Self.lamp, ["Color": "red"])
        #expect(try turns { color.reading == .value(.text("red")) })
        try services.stop("org.example.Lamp")
        #expect(try turns { color.reading == .unavailable("org.example.Lamp is not on the bus") })
    }

    @Test func `an idle bus connection has no timer, and a closed connection has neither timer nor descriptor`() throws
    {
        #expect(connection.awaited == nil && connection.nextTurn == nil)
        try services.start(Self.lamp, ["Color": "red"])
        connection.open(at: .now)
        #expect(try turns { color.reading == .value(.text("red")) && connection.nextTurn == nil })
        #expect(connection.awaited != nil)
        connection.close()
        #expect(connection.awaited == nil && connection.nextTurn == nil && connection.state == .closed)
        #expect(color.reading == .unread)
    }

    @Test func `a call that a D-Bus service does not answer has a timeout`() throws {
        try services.start(Self.lamp, ["Color": "red"])
        try services.suspend(Self.lamp.name)
        connection.open(at: .now)
        #expect(try turns { connection.state == .open && connection.nextTurn != nil })
    }

    @Test func `a lost bus connection is made again when the bus is back`() throws {
        try services.start(Self.lamp, ["Color": "red"])
        connection.open(at: .now)
        #expect(try turns { color.reading == .value(.text("red")) })
        bus.stop()
        #expect(try turns { if case .failed = connection.state { true } else { false } })
        guard case .unavailable(let cause) = color.reading else { return #expect(Bool(false), "it keeps a value") }
        #expect(cause.hasPrefix("no connection to the message bus unix:path=") && connection.awaited == nil)
        #expect(connection.nextTurn != nil)
        try bus.start()
        let other = try MockServices(on: bus)
        try other.start(Self.lamp, ["Color": "blue"])
        #expect(try turns { color.reading == .value(.text("blue")) })
    }

    @Test func `D-Bus values of unsupported types and overlong texts are unavailable, and cause no crash`() throws {
        try services.start(Self.lamp, ["Color": String(repeating: "x", count: BusMessage.longestText + 1)])
        connection.open(at: .now)
        #expect(try turns { color.reading == .unavailable("org.example.Lamp returns no readable property Color") })
        let longest = String(repeating: "x", count: BusMessage.longestText)
        try services.change(Self.lamp, ["Color": longest])
        #expect(try turns { color.reading == .value(.text(longest)) })
        try services.change(Self.lamp, ["Color": true])
        #expect(try turns { color.reading == .value(.boolean(true)) })
        try services.change(Self.lamp, ["Color": 1.5])
        #expect(try turns { color.reading == .unavailable("org.example.Lamp returns no readable property Color") })
    }

    @Test func `a D-Bus property that the service lacks is unavailable, with the name of the service`() throws {
        try services.start(Self.lamp, ["Size": "small"])
        connection.open(at: .now)
        #expect(
            try turns {
                guard case .unavailable(let cause) = color.reading else { return false }
                return cause.hasPrefix("org.example.Lamp does not answer (")
            }
        )
    }

    @Test func `a flood of D-Bus signals is handled in turns of bounded length, and no signal is lost`() throws {
        try services.start(Self.lamp, ["Color": "red"])
        var received: [BusValue?] = []
        let match = BusMatch(
            sender: "org.example.Lamp",
            path: "/org/example/Lamp",
            interface: "org.example.Lamp1",
            member: "Flicker"
        )
        connection.receive(match) { received.append($0.read()) }
        connection.open(at: .now)
        #expect(try turns { color.reading == .value(.text("red")) && connection.nextTurn == nil })
        let count = 3 * BusConnection.messagesPerTurn
        for number in 0..<count { try services.signal(Self.lamp, "Flicker", "\(number)") }
        connection.dispatch(at: .now)
        #expect(received.count <= BusConnection.messagesPerTurn)
        #expect(try turns { received.count == count })
        #expect(received == (0..<count).map { .text("\($0)") })
    }
}

@Suite("A bus connection that cannot be made reports the cause and is tried again after growing delays")
struct BusFailureTests {
    private let color = BusProperty("Color", of: "org.example.Lamp1", at: "/lamp", service: "org.example.Lamp")

    @Test(.enabled(if: BusLibrary.loaded != nil, "takes libsystemd0"))
    func `a connection to a missing bus is tried again after a delay`() {
        let connection = BusConnection(BusAddress("unix:path=/nonexistent/bus"))
        connection.follow(color)
        connection.open(at: MonotonicTime(nanoseconds: 0))
        let cause = "no connection to the message bus unix:path=/nonexistent/bus: No such file or directory"
        #expect(connection.state == .failed(cause))
        #expect(color.reading == .unavailable(cause))
        #expect(connection.nextTurn == MonotonicTime(nanoseconds: 0) + .seconds(1))
        connection.dispatch(at: MonotonicTime(nanoseconds: 999_999_999))
        #expect(connection.nextTurn == MonotonicTime(nanoseconds: 0) + .seconds(1))
        connection.dispatch(at: MonotonicTime(nanoseconds: 1_000_000_000))
        #expect(connection.nextTurn == MonotonicTime(nanoseconds: 0) + .seconds(3))
        connection.close()
        #expect(connection.nextTurn == nil && color.reading == .unread)
    }

    @Test func `without libsystemd there is no bus connection, and no further attempt`() {
        #expect(BusLibrary(named: "libnone.so.0") == nil)
        let connection = BusConnection(BusAddress("unix:path=/nonexistent/bus"), library: nil)
        connection.follow(color)
        connection.open(at: .now)
        #expect(connection.state == .failed("libsystemd.so.0 is not installed"))
        #expect(color.reading == .unavailable("libsystemd.so.0 is not installed"))
        #expect(connection.nextTurn == nil && connection.awaited == nil)
    }

    @Test func `the delays between bus connection attempts double up to five minutes and start anew after a success`() {
        var backoff = Backoff()
        let delays = (0..<11).map { _ in backoff.next() }
        #expect(delays.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(delays.suffix(2) == [.seconds(300), .seconds(300)])
        backoff.reset()
        #expect(backoff.next() == .seconds(1))
    }
}

@Suite("The addresses of the system's and the session's bus follow the environment")
struct BusAddressTests {
    @Test func `the system bus has its usual address unless the environment names another`() {
        #expect(BusAddress.system(environment: [:]).text == "unix:path=/run/dbus/system_bus_socket")
        #expect(BusAddress.system(environment: ["DBUS_SYSTEM_BUS_ADDRESS": ""]) == BusAddress.system(environment: [:]))
        #expect(BusAddress.system(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "tcp:a"]).text == "tcp:a")
    }

    @Test func `the session bus address comes from the environment or the runtime directory, else there is none`() {
        let runtime = ["XDG_RUNTIME_DIR": "/run/user/1 000"]
        #expect(BusAddress.session(environment: runtime)?.text == "unix:path=/run/user/1%20000/bus")
        let named = runtime.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x"]) { _, new in new }
        #expect(BusAddress.session(environment: named)?.text == "unix:abstract=x")
        #expect(BusAddress.session(environment: [:]) == nil)
        #expect(BusAddress.session(environment: ["XDG_RUNTIME_DIR": "relative"]) == nil)
    }
}
