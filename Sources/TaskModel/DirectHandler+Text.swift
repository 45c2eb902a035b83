// Part of bgtask, under the Apache License 2.0; see LICENSE.

// What a manifest binds, in its own words: values and the rule of success are what an operator agrees to.
extension DirectHandler {
    /// The signature in C's words, what it is called with, and the rule that its result is judged by.
    package var text: String {
        let values = arguments.isEmpty ? "" : "; called with " + arguments.map(\.text).joined(separator: ", ")
        return signature + values + (result.rule.map { "; \($0)" } ?? "")
    }
}

extension DirectArgument {
    /// As a manifest writes it, without braces: a kind, and behind it the value of those that have one.
    package var text: String { value.map { "\(kind.rawValue): \($0)" } ?? kind.rawValue }

    private var value: String? {
        switch self {
        case .string(let text): Self.quoted(text)
        case .int32(let number): "\(number)"
        case .uint32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .uint64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .bytes(let bytes): "\"" + bytes.map(Self.hexadecimal).joined() + "\""
        case .setting(let key): key.terminalSafe
        case .outString(let size): "\(size)"
        case .cancelFlag, .payload, .containerPath, .remainingMilliseconds, .null, .outInt64: nil
        }
    }

    /// Two texts that differ are never shown as one.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped.terminalSafe)\""
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
