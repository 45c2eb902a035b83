// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The encoding of cursors as JSON. Equal cursors have equal bytes.
package enum CursorEncoding {
    package static func bytes(of cursor: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(cursor))
    }
}
