// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The written form of bindings in a manifest. It includes values and success rules, because the operator approves them.
extension FunctionBinding {
    /// A description of the bound function for users: the signature in C, the arguments and the success rule.
    package var text: String {
        let values = arguments.isEmpty ? "" : "; called with " + arguments.map(\.text).joined(separator: ", ")
        return signature + values + (result.rule.map { "; \($0)" } ?? "")
    }
}

extension FunctionArgument {
    /// The argument in the notation of a manifest, without braces: a kind, followed by the value if the kind has one.
    package var text: String { value.map { "\(kind.rawValue): \($0)" } ?? kind.rawValue }

    private var value: String? {
        switch self {
        case .string(let text), .download(let text): Self.quoted(text)
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

    /// The string in quotes, with backslashes and quotes escaped, so that two different strings never look alike.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped.terminalSafe)\""
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
