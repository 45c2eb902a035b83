// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// Prints the newest journal entries and then every new entry, as a growing table or as one JSON line per entry.
struct JournalFollower {
    let json: Bool
    let filter: JournalFilter

    /// Follows the journal until an error ends it. The end of the stream is an error, too: the host is stopping.
    func follow(_ client: ControlClient, from limit: Int) async throws {
        let beginning = try await client.journal(limit: limit, filter: filter)
        let widths = try show(beginning)
        // The stream starts after the last number of the first call, so that no entry is missed or shown twice.
        for try await line in try await feed(of: client, after: beginning.last) { try show(line, widths: widths) }
        throw ControlError.streamEnded(.journal, socket: client.socket, isInOrder: true)
    }

    /// Opens the stream. The host has just answered another call, so `unreachable` means that the connection is lost.
    private func feed(of client: ControlClient, after number: Int64) async throws -> LineFeed<JournalLine> {
        do {
            return try await client.followJournal(after: number, filter: filter)
        } catch ControlError.unreachable {
            throw ControlError.streamEnded(.journal, socket: client.socket, isInOrder: false)
        }
    }

    private func show(_ beginning: JournalReply) throws -> [Int] {
        if json {
            for line in beginning.entries { try show(line, widths: []) }
            return []
        }
        let table = beginning.table(for: CommandContext.current.reader)
        try CommandContext.current.write(table.text)
        return table.widths
    }

    private func show(_ line: JournalLine, widths: [Int]) throws {
        let context = CommandContext.current
        if json {
            try context.write(String(decoding: WireCoding.encode(line), as: UTF8.self) + "\n")
        } else {
            let table = JournalReply(entries: [line], last: line.number).table(for: context.reader)
            try context.write(table.lastLine(widths: widths))
        }
    }
}
