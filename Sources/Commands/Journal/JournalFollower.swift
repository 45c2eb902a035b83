// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// Prints the newest journal entries and then every new entry, as a growing table or as one line per entry.
struct JournalFollower {
    let options: ListOptions
    let selector: JournalSelector

    /// Follows the journal until an error ends it. The end of the stream is an error, too: the host is stopping.
    func follow(_ client: ControlClient, from limit: Int) async throws {
        let beginning = try await selector.entries(of: client, limit: limit)
        let widths = try show(beginning)
        // The stream starts after the last number of the first call, so that no entry is missed.
        let shown = Set(beginning.entries.map(\.number))
        for try await line in try await feed(of: client, after: beginning.last)
        where selector.selects(line) && !shown.contains(line.number) {
            try show(line, widths: widths)
        }
        throw ControlError.streamEnded(.journal, socket: client.socket, isInOrder: true)
    }

    /// Opens the stream. The host has just answered another call, so `unreachable` means that the connection is lost.
    private func feed(of client: ControlClient, after number: Int64) async throws -> LineFeed<JournalLine> {
        do {
            return try await client.followJournal(after: number, filter: selector.streamFilter)
        } catch ControlError.unreachable {
            throw ControlError.streamEnded(.journal, socket: client.socket, isInOrder: false)
        }
    }

    /// The columns of the terminal; nil for whole cells.
    private var width: Int? { options.format == .table ? CommandContext.current.reader.width : nil }

    private func show(_ beginning: JournalReply) throws -> [Int] {
        guard options.format == .table || options.format == .wide else {
            for line in beginning.entries { try show(line, widths: []) }
            return []
        }
        let table = beginning.table(for: CommandContext.current.reader)
        try CommandContext.current.write(table.text(fitting: width))
        return table.widths(fitting: width)
    }

    private func show(_ line: JournalLine, widths: [Int]) throws {
        let context = CommandContext.current
        switch options.format {
        case .json, .jsonl: try context.write(try ListOptions.line(line))
        case .name: try context.write(JournalReply.name(of: line) + "\n")
        case .table, .wide:
            let table = JournalReply(entries: [line], last: line.number).table(for: context.reader)
            try context.write(table.lastLine(widths: widths, cutting: width != nil))
        }
    }
}
