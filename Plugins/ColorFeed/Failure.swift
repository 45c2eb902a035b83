// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A failure, described by its subject, its value, the rule and the remedy.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
