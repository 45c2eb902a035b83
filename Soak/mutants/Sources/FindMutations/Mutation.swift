// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One change of one place in a source file, selectable at run time by a switch.
///
/// Planting inserts `prefix` and `suffix` around the bytes from `start` to `end` and replaces nothing, so that
/// mutations may be nested. Neither insertion has a line break: planting keeps the line numbers of the source.
struct Mutation: Encodable {
    /// Path relative to the searched directory.
    var file = ""
    /// First and last line of the changed place, from 1.
    var line = 0
    var lastLine = 0
    /// The source line in which the changed place begins, without indentation.
    var text = ""
    /// The change, as in "< → <=".
    let change: String
    /// The changed place, in one line.
    let original: String
    /// Byte offsets of the changed place in the file.
    let start: Int
    let end: Int
    /// Text to insert before the changed place; `suffix` is inserted after it. In both, `SWITCH` stands for the
    /// expression that is true while the mutation is selected.
    let prefix: String
    let suffix: String
}
