// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A property of a service. It is read when its connection opens, and again after each change of the property or of the
/// service's owner. At most one read is in flight.
package final class BusProperty {
    package enum Reading: Hashable, Sendable {
        /// The connection is closed, or no answer has arrived since it was opened.
        case unread
        case value(BusValue)
        /// The property has no value; the string is the cause.
        case unavailable(String)
    }

    static let interface = "org.freedesktop.DBus.Properties"

    package let service: String
    package let path: String
    package let interface: String
    package let name: String

    package internal(set) var reading = Reading.unread
    /// Whether the property may have changed since the last read was sent, so that it has to be read again.
    var isStale = true
    var isInFlight = false

    package init(_ name: String, of interface: String, at path: String, service: String) {
        self.name = name
        self.interface = interface
        self.path = path
        self.service = service
    }

    /// Sets the reading when the connection is closed or fails. The answer to a read in flight never arrives then.
    func reset(_ reading: Reading) {
        self.reading = reading
        isStale = true
        isInFlight = false
    }

    func take(_ reply: borrowing BusMessage) {
        isInFlight = false
        if let error = reply.error {
            let isAway = ["ServiceUnknown", "NameHasNoOwner"].contains { error.hasSuffix($0) }
            reading = .unavailable("\(service) \(isAway ? "is not on the bus" : "does not answer (\(error))")")
        } else {
            reading = reply.read().map(Reading.value) ?? .unavailable("\(service) returns no readable property \(name)")
        }
    }
}
