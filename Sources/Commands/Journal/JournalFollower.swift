// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// Puts out the end of the journal and then every new entry, as a table that grows or as a line of JSON each.
struct JournalFollower {
    let json: Bool
    let filter: JournalFilter

    /// Ends only by an error: a host that ends the stream is one that can no longer be followed.
    func follow(_ client: ControlClient, from limit: Int) async throws {
        let beginning = try await client.journal(limit: limit, filter: filter)
        let widths = try show(beginning)
        // Asked for by number, so that nothing between the two calls is missed or shown twice.
        for try await line in try await feed(of: client, after: beginning.last) { try show(line, widths: widths) }
        throw ControlError.journalEnded(socket: client.socket, isInOrder: true)
    }

    /// It answered just now: who does not answer any more has gone.
    private func feed(of client: ControlClient, after number: Int64) async throws -> JournalFeed {
        do {
            return try await client.followJournal(after: number, filter: filter)
        } catch ControlError.unreachable {
            throw ControlError.journalEnded(socket: client.socket, isInOrder: false)
        }
    }

    private func show(_ beginning: JournalReply) throws -> [Int] {
        if json {
            for line in beginning.entries { try show(line, widths: []) }
            return []
        }
        let table = beginning.table(for: Surroundings.current.reader)
        try Surroundings.current.write(table.text)
        return table.widths
    }

    private func show(_ line: JournalLine, widths: [Int]) throws {
        let surroundings = Surroundings.current
        if json {
            try surroundings.write(String(decoding: WireCoding.encode(line), as: UTF8.self) + "\n")
        } else {
            let table = JournalReply(entries: [line], last: line.number).table(for: surroundings.reader)
            try surroundings.write(table.lastLine(widths: widths))
        }
    }
}
