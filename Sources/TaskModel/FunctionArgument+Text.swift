// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The written form of arguments in a manifest: a kind, followed by the value if the kind has one.
extension FunctionArgument.Kind {
    /// An example value of the kind, for messages; nil for a kind without a value.
    package var example: String? {
        switch self {
        case .string: "/var/log/app"
        case .int32, .int64: "-5"
        case .uint32, .uint64: "1048576"
        case .double: "0.5"
        case .bool: "true"
        case .bytes: "00ff10"
        case .setting: "directory"
        case .download: "https://example.com/list.gz"
        case .outString: "256"
        case .cancelFlag, .payload, .containerPath, .remainingMilliseconds, .null, .outInt64: nil
        }
    }

    /// The argument of this kind, if the kind takes no value; nil for a kind that takes a value.
    package var argument: FunctionArgument? {
        switch self {
        case .cancelFlag: .cancelFlag
        case .payload: .payload
        case .containerPath: .containerPath
        case .remainingMilliseconds: .remainingMilliseconds
        case .null: .null
        case .outInt64: .outInt64
        default: nil
        }
    }

    /// Whether a manifest writes the value without quotes: as a number or a boolean.
    package var isNumber: Bool {
        switch self {
        case .int32, .uint32, .int64, .uint64, .double, .bool, .outString: true
        default: false
        }
    }

    /// The argument of this kind with the value that `text` states. Throws when the kind takes no value, or when `text`
    /// is not a valid value of the kind.
    package func argument(_ text: String) throws(DirectFlaw) -> FunctionArgument {
        switch self {
        case .string: return .string(try short(text))
        case .int32: return .int32(try number(text))
        case .uint32: return .uint32(try number(text))
        case .int64: return .int64(try number(text))
        case .uint64: return .uint64(try number(text))
        case .double: return .double(try decimal(text))
        case .bool: return .bool(try flag(text))
        case .bytes: return .bytes(try bytes(text))
        case .setting: return .setting(try short(text))
        case .download: return .download(try url(text))
        case .outString: return .outString(size: try number(text, in: FunctionArgument.outStringSizes))
        case .cancelFlag, .payload, .containerPath, .remainingMilliseconds, .null, .outInt64:
            throw DirectFlaw(rule: "not allowed, because \(rawValue) takes no value", remedy: "write only \(rawValue)")
        }
    }

    // MARK: Values

    private func number<Number: FixedWidthInteger>(
        _ text: String,
        in range: ClosedRange<Number> = .min ... .max
    ) throws(DirectFlaw) -> Number {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        let isWhole = !digits.isEmpty && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isWhole, let number = Number(text), range.contains(number) { return number }
        throw DirectFlaw(
            rule: "not a whole number from \(range.lowerBound) to \(range.upperBound)",
            remedy: isWhole
                ? "write a value in that range"
                : range.lowerBound < 0
                    ? "write digits, with - for a negative number, without quotes" : "write only digits, without quotes"
        )
    }

    private func decimal(_ text: String) throws(DirectFlaw) -> Double {
        let isWritten = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
        if isWritten, let number = Double(text), number.isFinite { return number }
        throw DirectFlaw(rule: "not a finite double", remedy: "write it like 0.5 or 1e-3, without quotes")
    }

    private func flag(_ text: String) throws(DirectFlaw) -> Bool {
        if text == "true" || text == "false" { return text == "true" }
        throw DirectFlaw(rule: "not a boolean", remedy: "write true or false")
    }

    private func short(_ text: String) throws(DirectFlaw) -> String {
        if text.utf8.count <= FunctionArgument.longestValue, !text.utf8.contains(0) { return text }
        throw DirectFlaw(
            rule: text.utf8.contains(0)
                ? "a text that contains NUL" : "not a text of at most \(FunctionArgument.longestValue) bytes",
            remedy: text.utf8.contains(0)
                ? "remove the character NUL"
                : self == .setting
                    ? "write the key of a setting" : "write the text to a file, and pass the path of the file"
        )
    }

    private func url(_ text: String) throws(DirectFlaw) -> String {
        guard let session = TransferSession.argument(1),
            let flaw = TransferDescription(direction: .download, session: session, url: text).flaw
        else { return text }
        throw DirectFlaw(
            rule: "not a URL that the host downloads: \(flaw)",
            remedy: "write it as https://example.com/list.gz"
        )
    }

    private func bytes(_ text: String) throws(DirectFlaw) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2),
            digits.count <= 2 * FunctionArgument.longestValue
        else {
            throw DirectFlaw(
                rule: "not an even number of at most \(2 * FunctionArgument.longestValue) hexadecimal digits",
                remedy: text.utf8.count > 2 * FunctionArgument.longestValue
                    ? "write the bytes to a file, and pass the path of the file"
                    : "write two digits for each byte, such as 00ff10, as xxd -p prints them"
            )
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
