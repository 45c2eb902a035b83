// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TerminalText

/// Prints the newest lines of logs and then every new line, as a growing table or as one JSON line per line.
struct LogFollower {
    let json: Bool
    let query: LogQuery

    /// Follows the logs. The end of the stream is regular for one launch; otherwise it is an error, because the host is
    /// stopping.
    func follow(_ client: ControlClient) async throws {
        var widths: [Int] = []
        for try await line in try await client.followLogs(query) { try show(line, &widths) }
        if query.launch == nil { throw ControlError.streamEnded(.log, socket: client.socket, isInOrder: true) }
    }

    private func show(_ line: LaunchLogLine, _ widths: inout [Int]) throws {
        let context = CommandContext.current
        if json { return try context.write(String(decoding: WireCoding.encode(line), as: UTF8.self) + "\n") }
        let table = LogReply(lines: [line]).table(for: context.reader)
        // The first line determines the widths of the columns.
        try context.write(widths.isEmpty ? table.text : table.lastLine(widths: widths))
        if widths.isEmpty { widths = table.widths }
    }
}
