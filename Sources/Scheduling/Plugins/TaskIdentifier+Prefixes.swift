// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension TaskIdentifier {
    /// The parts of the identifier before each of its dots, longest first. A pattern covers the identifier if the
    /// pattern's prefix is one of them.
    var prefixes: some Sequence<Substring> {
        sequence(state: text[...]) { rest in
            guard let dot = rest.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
            rest = rest[..<dot]
            return rest
        }
    }
}
