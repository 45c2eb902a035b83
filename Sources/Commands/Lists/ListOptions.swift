// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel
import TerminalText

/// The options of lists: format, order, and the part of the rows to print.
struct ListOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Format: table fits the terminal, wide has whole cells, jsonl one object per row.",
            valueName: "format"
        )
    )
    var output: ListFormat?

    @Flag(help: "Print the host's answer as JSON, in the shape of its control API; the same as -o json.")
    var json = false

    @Option(
        help: ArgumentHelp("Sort the rows by this key; an unknown key is refused with all keys.", valueName: "key"),
        completion: .sortKeys
    )
    var sort: String?

    @Flag(help: "Reverse the order of the rows.")
    var reverse = false

    @Option(help: ArgumentHelp("Leave out this number of rows, to continue a list.", valueName: "number"))
    var skip = 0

    var format: ListFormat { output ?? (json ? .json : .table) }

    func validate() throws {
        if json, let output, output != .json {
            throw ValidationError("--json and -o \(output.rawValue) state different formats; give one of them")
        }
        guard (0...LimitArgument.range.upperBound).contains(skip) else {
            throw ValidationError(
                "--skip \(skip) is not between 0 and \(LimitArgument.range.upperBound);"
                    + " write a whole number in that range, or select less with a filter"
            )
        }
    }

    /// The keyed order of the rows; nil without `--sort`. Throws for an unknown key.
    func key<List: ListReply>(of list: List.Type) throws -> SortKey<List.Row>? {
        guard let sort else { return nil }
        if let key = List.sortKeys.first(where: { $0.name == sort }) { return key }
        let remedy = NearestWord.remedy(for: sort, among: List.sortKeys.map(\.name))
        throw ValidationError("--sort \(sort.inQuotes) is not a key of this list; \(remedy)")
    }

    /// The rows to print, in their order, and the number of rows that follow them.
    ///
    /// - Parameter limit: maximum number of rows; nil for all.
    func arranged<List: ListReply>(_ list: List, limit: Int?) throws -> (list: List, following: Int) {
        var (list, rows) = (list, list.rows)
        if let key = try key(of: List.self) {
            // `sorted` does not promise a stable order: the offset decides between equal rows.
            rows = rows.enumerated().sorted { left, right in
                key.precedes(left.element, right.element)
                    || !key.precedes(right.element, left.element) && left.offset < right.offset
            }
            .map(\.element)
        }
        if reverse { rows.reverse() }
        let rest = rows.dropFirst(skip)
        let shown = Array(rest.prefix(limit ?? rest.count))
        if shown.count < rows.count || reverse || sort != nil { list.rows = shown }
        return (list, rest.count - shown.count)
    }

    /// Prints the list. Throws `NothingFound` after an empty one.
    func show<List: ListReply>(_ list: List, limit: Int? = nil) throws {
        let context = CommandContext.current
        let (list, following) = try arranged(list, limit: limit)
        try context.write(text(of: list))
        if following > 0 {
            context.writeMessage("\(following) more; continue with: --skip \(skip + list.rows.count)")
        }
        if list.isEmpty { throw NothingFound(message: List.nothingFound) }
    }

    /// The list in the chosen format; empty for a table without rows.
    func text<List: ListReply>(of list: List) throws -> String {
        var reader = CommandContext.current.reader
        switch format {
        case .json: return String(decoding: try WireCoding.encodeReadably(list), as: UTF8.self) + "\n"
        case .jsonl: return try list.rows.map { try Self.line($0) }.joined()
        case .name: return list.rows.map { List.name(of: $0).terminalSafe + "\n" }.joined()
        case .table: return list.text(for: reader)
        case .wide:
            reader.width = nil
            return list.text(for: reader)
        }
    }

    static func line(_ row: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(row), as: UTF8.self) + "\n"
    }
}
