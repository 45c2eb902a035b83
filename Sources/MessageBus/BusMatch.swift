// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A match rule of D-Bus: signals to which a connection subscribes. The bus sends broadcast signals to a connection
/// only if they match one of its rules.
package struct BusMatch: Hashable, Sendable {
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    /// The first argument of the signal; nil for any.
    package var argument: String?

    package init(sender: String, path: String, interface: String, member: String, argument: String? = nil) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.argument = argument
    }

    /// Matches the signal that a service appears on the bus, leaves it or changes its owner.
    package static func owner(of service: String) -> BusMatch {
        let bus = "org.freedesktop.DBus"
        return BusMatch(
            sender: bus,
            path: "/org/freedesktop/DBus",
            interface: bus,
            member: "NameOwnerChanged",
            argument: service
        )
    }

    /// Matches the signal that a property of an interface changes.
    static func changes(of property: BusProperty) -> BusMatch {
        BusMatch(
            sender: property.service,
            path: property.path,
            interface: BusProperty.interface,
            member: "PropertiesChanged",
            argument: property.interface
        )
    }

    var rule: String {
        "type='signal',sender='\(sender)',path='\(path)',interface='\(interface)',member='\(member)'"
            + (argument.map { ",arg0='\($0)'" } ?? "")
    }
}
