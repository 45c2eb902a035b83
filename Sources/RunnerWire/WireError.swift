// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Why bytes are not a message, or a message does not fit a frame. Never about what a message asks for.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case tooLong
        case tooShort
        case unknownType
        case unknownValue
        case invalidText
        case trailingBytes
        case foreignVersion
    }

    package let code: Code
    /// Names the field or the frame, the value and the rule.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
