// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension String {
    /// The string as one word of a shell command: every shell that has the quotes of `sh`, and `fish`, reads this value.
    var shellQuoted: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_./:,+@".utf8.contains(byte)
            }
        }
        if isPlain, !isEmpty { return self }
        // Between single quotes `sh` reads a backslash as itself, and `fish` does not: it stands outside of them.
        return "'" + replacing(/['\\]/) { "'\\\($0.output)'" } + "'"
    }
}
