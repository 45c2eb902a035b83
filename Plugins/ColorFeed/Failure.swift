// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Why something could not be done: the thing, the value, the rule and the remedy.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
