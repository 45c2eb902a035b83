// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One change of one place in a source file, which a switch can select at run time.
///
/// Planting inserts `prefix` and `suffix` around the bytes from `start` to `end` and replaces nothing, so that mutations
/// may lie within each other. Neither insertion holds a line break: what is planted keeps the lines of the source.
struct Mutation: Encodable {
    /// Path relative to the directory that is searched.
    var file = ""
    /// Lines that the changed place begins and ends in, from 1.
    var line = 0
    var lastLine = 0
    /// The line that it begins in, without indentation.
    var text = ""
    /// The change, as in "< → <=".
    let change: String
    /// The changed place, in one line.
    let original: String
    /// Bytes of the file.
    let start: Int
    let end: Int
    /// `SWITCH` stands for the expression that is true while the mutation is selected.
    let prefix: String
    let suffix: String
}
