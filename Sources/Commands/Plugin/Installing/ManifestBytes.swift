// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginCatalog

/// The bytes of a manifest as they are installed: those that were read, with a pin if one is wanted.
enum ManifestBytes {
    static func of(_ reading: ManifestReading, pinning digest: String?) throws -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: reading.file)),
            ManifestReading.read(bytes: Array(data), file: reading.file).digest == reading.digest
        else {
            throw CommandFailure(.refused, "\(reading.file) changed while it was read", remedy: "install it again")
        }
        guard let digest, reading.library?.pinnedDigest == nil else { return Array(data) }
        let isOnLineOfItsOwn = data.last == UInt8(ascii: "\n")
        let bytes = Array(data) + Array("\(isOnLineOfItsOwn ? "" : "\n")sha256: \(digest)\n".utf8)
        let pinned = ManifestReading.read(bytes: bytes, file: reading.file)
        guard pinned.manifest != nil, pinned.library?.pinnedDigest?.value == digest else {
            throw CommandFailure(
                .refused,
                "the format of \(reading.file) takes no pin at its end",
                remedy: "write the key yourself where the format has one: sha256: \(digest)"
            )
        }
        return bytes
    }
}
