// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Address of a message bus, in the notation of D-Bus: `unix:path=/run/dbus/system_bus_socket`.
package struct BusAddress: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    package init(_ text: String) { self.text = text }

    /// The address of the machine's bus: DBUS_SYSTEM_BUS_ADDRESS, otherwise the default socket.
    package static func system(environment: [String: String]) -> BusAddress {
        named("DBUS_SYSTEM_BUS_ADDRESS", in: environment) ?? BusAddress("unix:path=/run/dbus/system_bus_socket")
    }

    /// The address of the bus of the user's session: DBUS_SESSION_BUS_ADDRESS, otherwise the socket `bus` in
    /// XDG_RUNTIME_DIR. Nil when neither variable is usable: an empty DBUS_SESSION_BUS_ADDRESS and a relative
    /// XDG_RUNTIME_DIR are ignored.
    package static func session(environment: [String: String]) -> BusAddress? {
        if let address = named("DBUS_SESSION_BUS_ADDRESS", in: environment) { return address }
        guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else { return nil }
        return BusAddress("unix:path=\(escaped(directory))/bus")
    }

    private static func named(_ variable: String, in environment: [String: String]) -> BusAddress? {
        environment[variable].flatMap { $0.isEmpty ? nil : BusAddress($0) }
    }

    /// The path with `%` and two digits for every byte that D-Bus does not allow in a value of an address.
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }
}
