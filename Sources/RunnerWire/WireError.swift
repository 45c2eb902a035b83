// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reason why bytes are not a valid message, or a message does not fit a frame.
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
    /// The message: the field or the frame, its value and the violated rule.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
