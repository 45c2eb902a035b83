// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// One argument of a message, of a basic type.
package enum BusValue: Hashable, Sendable {
    case text(String)
    case boolean(Bool)
    case number(UInt64)
}

/// A signal or a reply, valid while its handler runs. Each read consumes one argument.
package struct BusMessage: ~Copyable {
    /// Maximum length of a string that is read, in bytes, because other programs write the strings.
    package static let longestText = 4_096

    private let library: BusLibrary
    private let message: BusLibrary.Message

    init(_ message: BusLibrary.Message, of library: BusLibrary) {
        self.message = message
        self.library = library
    }

    /// Name of the error in a reply; nil for a signal and for a successful reply.
    package var error: String? {
        // The first member of the library's structure.
        library.error(message)?.load(as: BusLibrary.Text?.self).map { String(cString: $0) }
    }

    /// Reads the next argument, inside or outside of a variant. Nil at the end, for a type without a `BusValue`, and
    /// for a string that is too long.
    package func read() -> BusValue? {
        var (type, contents) = (CChar(0), BusLibrary.Text?.none)
        guard library.peek(message, &type, &contents) > 0 else { return nil }
        if type == CChar(UInt8(ascii: "v")) {
            guard let contents, library.enter(message, type, contents) > 0 else { return nil }
            guard library.peek(message, &type, nil) > 0 else { return nil }
        }
        return basic(type)
    }

    private func basic(_ type: CChar) -> BusValue? {
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "b"):
            var value: Int32 = 0
            return library.read(message, type, &value) > 0 ? .boolean(value != 0) : nil
        case UInt8(ascii: "u"):
            var value: UInt32 = 0
            return library.read(message, type, &value) > 0 ? .number(UInt64(value)) : nil
        case UInt8(ascii: "t"):
            var value: UInt64 = 0
            return library.read(message, type, &value) > 0 ? .number(value) : nil
        case UInt8(ascii: "s"):
            var text: BusLibrary.Text?
            guard library.read(message, type, &text) > 0, let text else { return nil }
            // The text is the message's own memory.
            return strnlen(text, Self.longestText + 1) <= Self.longestText ? .text(String(cString: text)) : nil
        default: return nil
        }
    }
}
