// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A reply whose rows can be selected, sorted, limited and printed in several formats.
protocol ListReply: Presentable, Sendable {
    associatedtype Row: Encodable, Sendable

    /// The rows, in the order of the host.
    var rows: [Row] { get set }
    /// The keys of `--sort`.
    static var sortKeys: [SortKey<Row>] { get }
    /// The message for a list without rows.
    static var nothingFound: String { get }
    /// The name or the number of a row, for `-o name`.
    static func name(of row: Row) -> String
    /// Whether the list has nothing to show.
    var isEmpty: Bool { get }
}

extension ListReply {
    var isEmpty: Bool { rows.isEmpty }
}

/// An order of rows by one of their values.
struct SortKey<Row>: Sendable {
    let name: String
    let precedes: @Sendable (Row, Row) -> Bool

    /// Creates an ascending order. Rows without the value come last.
    init<Value: Comparable & SendableMetatype>(_ name: String, _ value: @escaping @Sendable (Row) -> Value?) {
        self.name = name
        precedes = { left, right in
            switch (value(left), value(right)) {
            case (let left?, let right?): left < right
            case (.some, nil): true
            case (nil, _): false
            }
        }
    }
}

/// Thrown after an empty list was printed: its message goes to standard error, and the exit status is that of a refusal,
/// as of `grep`.
struct NothingFound: Error {
    let message: String
}
