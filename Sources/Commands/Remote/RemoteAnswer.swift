// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import FoundationEssentials

/// The JSON of one of several machines on one line, with the name of the machine.
struct RemoteAnswer {
    /// The line, with a newline at its end.
    let line: String

    /// Creates the line. Output that is not JSON becomes a string.
    ///
    /// - Parameter status: the exit status of the command; nil for one of several lines of it.
    init(_ output: [UInt8], of host: String, status: Int32?) {
        let text = String(decoding: output, as: UTF8.self)
        // JSON has line ends only between its values, so that it stays the same without them.
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let answer = Self.first([lines.joined(), "[\(lines.joined(separator: ","))]"]) ?? Self.encoded(text)
        let end = status.map { ",\"exit_status\":\($0)" } ?? ""
        line = "{\"answer\":\(lines.isEmpty ? "null" : answer)\(end),\"host\":\(Self.encoded(host))}\n"
    }

    private static func first(_ texts: [String]) -> String? {
        texts.first { (try? JSONValue(parsing: Data($0.utf8))) != nil }
    }

    private static func encoded(_ text: String) -> String {
        (try? WireCoding.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
