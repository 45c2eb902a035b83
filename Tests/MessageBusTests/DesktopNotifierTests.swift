// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BusTestKit
import Testing

@testable import MessageBus

@Suite(
    "Notifications are shown by the notification server of a session",
    .serialized,
    .enabled(if: PrivateBus.isAvailable && BusLibrary.loaded != nil, "takes dbus, python3-dbusmock and libsystemd0")
)
struct DesktopNotifierTests {
    private static let server = MockServices.Object(
        "org.freedesktop.Notifications",
        path: "/org/freedesktop/Notifications",
        interface: "org.freedesktop.Notifications"
    )

    private let bus: PrivateBus
    private let services: MockServices

    init() throws {
        bus = try PrivateBus()
        services = try MockServices(on: bus)
    }

    private func startServer() throws { try services.start(Self.server.name, template: "notification_daemon") }

    @Test func `a notification has its text, its urgency and the number of the one that it replaces`() throws {
        try startServer()
        let notifier = DesktopNotifier(BusAddress(bus.address))
        let first = try notifier.show(DesktopNotification(summary: "A < B", body: "1 < 2 & 3 > 2\u{0}\u{1b}[2J\nend"))
        let second = try notifier.show(
            DesktopNotification(summary: "Again", body: "", urgency: .critical, replacing: first)
        )
        #expect(first > 0 && second == first)
        let calls = try services.calls(of: Self.server).filter { $0.first as? String == "Notify" }
        #expect(calls.count == 2)
        #expect(calls.map { $0[1] as? String } == ["bgtask", "bgtask"])
        #expect(calls.map { $0[2] as? Int } == [0, Int(first)])
        #expect(calls.map { $0[4] as? String } == ["A < B", "Again"])
        #expect(calls.map { $0[5] as? String } == ["1 &lt; 2 &amp; 3 &gt; 2  [2J\nend", ""])
        #expect(calls.map { ($0[7] as? [String: Int])?["urgency"] } == [1, 2])
        #expect(calls.map { $0[8] as? Int } == [-1, -1])
    }

    @Test func `a session without a notification server is a failure, and the next notification is shown with one`()
        throws
    {
        let notifier = DesktopNotifier(BusAddress(bus.address))
        let notification = DesktopNotification(summary: "A", body: "B")
        #expect(throws: DesktopNotifier.Failure.self) { try notifier.show(notification) }
        try startServer()
        #expect(try notifier.show(notification) > 0)
    }

    @Test func `a missing bus is a failure with its address`() {
        let notifier = DesktopNotifier(BusAddress("unix:path=/nonexistent/bus"))
        let failure = #expect(throws: DesktopNotifier.Failure.self) {
            try notifier.show(DesktopNotification(summary: "A", body: "B"))
        }
        #expect(failure?.description.contains("unix:path=/nonexistent/bus") == true)
    }
}
