// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import FoundationEssentials

/// An argument that is a UUID.
enum UUIDArgument {
    static func value(_ text: String) throws -> UUID {
        if let value = UUID(uuidString: text) { return value }
        throw ValidationError("\"\(text)\" is no UUID; give one such as eabeae54-14a8-11e5-b60b-1697f925ec7b")
    }
}
