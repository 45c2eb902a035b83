// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import TaskModel

/// A log line for the journal of systemd, in its native protocol: fields, each of which `journalctl` can select by.
struct SystemdRecord {
    /// The fields as the bytes of a datagram.
    private(set) var bytes: [UInt8] = []

    /// The level, the text of the line and its fields, such as `BGTASK_LAUNCH` for `launch`.
    init(_ line: LogLine) {
        append("PRIORITY", "\(line.level.severity)")
        append("SYSLOG_IDENTIFIER", "bgtaskd")
        append("MESSAGE", line.contents)
        for (key, value) in line.fields.sorted(by: { $0.key < $1.key }) {
            append(Self.name(of: key), value.description.terminalSafeLines)
        }
    }

    /// The name of the field of systemd for a field of a log line.
    static func name(of key: String) -> String {
        "BGTASK_" + String(key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// Adds a field: `NAME=value`, or for a value with line ends the name, the length of the value and the value.
    private mutating func append(_ name: String, _ value: String) {
        let newline = UInt8(ascii: "\n")
        bytes += name.utf8
        if value.utf8.contains(newline) {
            bytes.append(newline)
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(newline)
    }
}
