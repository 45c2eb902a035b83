// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation

/// The encoding of cursors as JSON. Equal cursors have equal bytes.
package enum CursorEncoding {
    package static func bytes(of cursor: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(cursor)
    }
}
