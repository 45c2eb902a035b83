// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Synchronization

/// A notification for a desktop, by the Desktop Notifications Specification.
package struct DesktopNotification: Hashable, Sendable {
    package enum Urgency: UInt8, Hashable, Sendable {
        case low = 0
        case normal = 1
        case critical = 2
    }

    /// The first line, which servers show as it is.
    package let summary: String
    /// The body as text. It is escaped, because servers read it as markup.
    package let body: String
    package let urgency: Urgency
    /// The number of the shown notification that this one replaces; 0 for none.
    package let replaces: UInt32

    package init(summary: String, body: String, urgency: Urgency = .normal, replacing number: UInt32 = 0) {
        (self.summary, self.body, self.urgency, replaces) = (summary, body, urgency, number)
    }

    /// A text without the characters that have a meaning in markup.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }

    /// A text without control characters besides line feeds. A zero byte would end the text.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    scalar == "\n" || scalar.properties.generalCategory != .control ? scalar : " "
                }
            )
        )
    }
}

/// The notification server of a user's desktop, which is called over the bus of the session. A call blocks its thread
/// until the reply, at most `callTimeout`. After a failed call the next one connects again.
package final class DesktopNotifier: Sendable {
    /// A call that the bus or the server did not answer as expected; has the cause.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// The connection. The mutex admits one thread at a time.
    private struct Link: @unchecked Sendable { let bus: BusLibrary.Bus }

    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    /// Timeout for the reply to a call, in microseconds.
    private static let callTimeout: UInt64 = 4_000_000

    private let address: BusAddress
    private let library: BusLibrary?
    private let link = Mutex<Link?>(nil)

    package init(_ address: BusAddress, library: BusLibrary? = .loaded) {
        (self.address, self.library) = (address, library)
    }

    deinit { link.withLock { disconnect(&$0) } }

    /// Shows a notification. Returns its number, by which a later one can replace it.
    package func show(_ notification: DesktopNotification) throws(Failure) -> UInt32 {
        guard let library else { throw Failure(description: "\(BusLibrary.name) is not installed; install it") }
        let result = link.withLock { link -> Result<UInt32, Failure> in
            let result = Result { () throws(Failure) in try notify(notification, over: &link, library) }
            if case .failure = result { disconnect(&link) }
            return result
        }
        return try result.get()
    }

    private func notify(
        _ notification: DesktopNotification,
        over link: inout Link?,
        _ library: BusLibrary
    ) throws(Failure) -> UInt32 {
        let bus = try connection(&link, library)
        var made: BusLibrary.Message?
        try check(library.newCall(bus, &made, Self.service, Self.path, Self.service, "Notify"))
        guard let call = made else { throw Failure(description: "out of memory") }
        defer { _ = library.releaseMessage(call) }
        try fill(call, with: notification, library)
        var answered: BusLibrary.Message?
        try check(library.callAndWait(bus, call, Self.callTimeout, nil, &answered))
        guard let reply = answered else { throw Failure(description: "\(Self.service) does not answer") }
        defer { _ = library.releaseMessage(reply) }
        guard case .number(let number)? = BusMessage(reply, of: library).read() else {
            throw Failure(description: "\(Self.service) returns no number")
        }
        return UInt32(truncatingIfNeeded: number)
    }

    /// Appends the arguments of `Notify`: `susssasa{sv}i`.
    private func fill(
        _ call: BusLibrary.Message,
        with notification: DesktopNotification,
        _ library: BusLibrary
    ) throws(Failure) {
        func text(_ value: String) throws(Failure) {
            try check(value.withCString { library.append(call, CChar(UInt8(ascii: "s")), $0) })
        }
        func number<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) throws(Failure) {
            var value = value
            try check(library.append(call, CChar(UInt8(ascii: type)), &value))
        }
        func open(_ type: Unicode.Scalar, _ contents: String) throws(Failure) {
            try check(library.openContainer(call, CChar(UInt8(ascii: type)), contents))
        }
        func close() throws(Failure) { try check(library.closeContainer(call)) }
        try text("bgtask")
        try number("u", notification.replaces)
        try text("")
        try text(DesktopNotification.printable(notification.summary))
        try text(DesktopNotification.escaped(DesktopNotification.printable(notification.body)))
        // No actions.
        try open("a", "s")
        try close()
        try open("a", "{sv}")
        try open("e", "sv")
        try text("urgency")
        try open("v", "y")
        try number("y", notification.urgency.rawValue)
        try close()
        try close()
        try close()
        // The server decides for how long the notification is shown.
        try number("i", Int32(-1))
    }

    private func connection(_ link: inout Link?, _ library: BusLibrary) throws(Failure) -> BusLibrary.Bus {
        if let link { return link.bus }
        var made: BusLibrary.Bus?
        try check(library.new(&made))
        guard let bus = made else { throw Failure(description: "out of memory") }
        link = Link(bus: bus)
        try check(library.setAddress(bus, address.text))
        try check(library.setClient(bus, 1))
        try check(library.start(bus))
        return bus
    }

    private func disconnect(_ link: inout Link?) {
        if let library, let bus = link?.bus {
            library.close(bus)
            _ = library.release(bus)
        }
        link = nil
    }

    private func check(_ status: Int32) throws(Failure) {
        if status >= 0 { return }
        throw Failure(
            description: "the notification server at the bus \(address) cannot be called:"
                + " \(String(cString: strerror(-status)))"
        )
    }
}
