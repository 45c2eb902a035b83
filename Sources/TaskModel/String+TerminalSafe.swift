// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The rule about characters that must not reach a terminal. Every output of the programs follows it: text has such
// characters escaped, and JSON has them as \u escapes.
extension String {
    /// The string on one line, with unsafe characters escaped, so that a plugin's text cannot control a terminal or
    /// break a table or a log.
    package var terminalSafe: String { escaping { $0.isUnsafeInTerminal } }

    /// The string with its line ends and tabs, and with all other unsafe characters escaped.
    package var terminalSafeLines: String {
        escaping { $0.isUnsafeInTerminal && $0 != "\n" && $0 != "\t" }
    }

    /// JSON text with every unsafe character of its strings as a `\u` escape. It has the same value: outside of strings
    /// JSON has no such characters, apart from line ends and tabs.
    package var terminalSafeJSON: String {
        rewriting { scalar in
            guard scalar.value >= 0x7f, scalar.isUnsafeInTerminal else { return nil }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        rewriting { scalar in
            guard isEscaped(scalar) else { return nil }
            return scalar == "\n" ? "\\n" : scalar == "\t" ? "\\t" : scalar.escaped(asASCII: true)
        }
    }

    /// The string with each scalar replaced by `replacement`; nil keeps the scalar.
    private func rewriting(_ replacement: (Unicode.Scalar) -> String?) -> String {
        guard let first = unicodeScalars.firstIndex(where: { replacement($0) != nil }) else { return self }
        var result = String(self[..<first])
        for scalar in unicodeScalars[first...] {
            if let text = replacement(scalar) { result += text } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether the scalar controls a terminal or changes how the text around it reads, without a visible form: controls
    /// (C0, DEL, C1), line separators, directions, soft hyphens, zero-width characters, annotations and tags.
    ///
    /// Joiners are among them, so that an emoji of several parts is shown in parts.
    package var isUnsafeInTerminal: Bool {
        switch value {
        case 0x20..<0x7f: false
        case 0..<0xa0: true
        case 0xad, 0x61c, 0x180e: true
        case 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f: true
        case 0xfeff, 0xfff9...0xfffb: true
        case 0xe0000...0xe007f: true
        default: false
        }
    }
}
