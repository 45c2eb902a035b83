// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import TaskModel

/// The name of another machine for `ssh`: a name of its configuration, an address, `USER@NAME` or `ssh://USER@NAME:PORT`.
package struct RemoteHost: Hashable, Sendable, CustomStringConvertible {
    package let name: String

    package var description: String { name }

    /// Throws a `ValidationError` for a name that `ssh` or a shell could read as something else.
    package init(_ name: String) throws {
        if name.isEmpty { throw ValidationError("-H has an empty name; write the names of machines between commas") }
        if name.hasPrefix("-") {
            throw ValidationError("-H \(name) begins with a dash, so that ssh would read an option; \(Self.remedy)")
        }
        // Configurations of ssh may insert the name into a command of a shell.
        guard name.utf8.allSatisfy(Self.isPermitted) else {
            throw ValidationError(
                "-H \(name.inQuotes) has a character other than a letter, a digit and one of .-_@:/[]%; \(Self.remedy)"
            )
        }
        self.name = name
    }

    /// The names between commas.
    static func list(_ names: String) throws -> [RemoteHost] {
        try names.split(separator: ",", omittingEmptySubsequences: false).map { try RemoteHost(String($0)) }
    }

    private static let remedy = "write the name as for ssh, such as web-1 or operator@web-1"

    private static func isPermitted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: ".-_@:/[]%".utf8.contains(byte)
        }
    }
}
