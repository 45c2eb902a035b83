// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import PluginBinary
internal import Synchronization
internal import TaskModel

/// The digest of one file identity, computed once even if several threads request it.
final class LibraryDigestSlot: Sendable {
    private let digest = Mutex<String?>(nil)

    /// The digest of the open file, and whether this call computed it.
    ///
    /// - Parameter descriptor: a descriptor that is open for reading; its position is neither used nor moved.
    func digest(
        of descriptor: CInt,
        _ identity: FileIdentity,
        path: String
    ) throws(PluginBinaryProblem) -> (String, isNew: Bool) {
        try digest.withLock { known throws(PluginBinaryProblem) in
            if let known { return (known, false) }
            let digest = try LibraryDigest.of(descriptor: descriptor, path: path)
            // Bytes that were read while the file changed are not cached.
            if FileIdentity(ofDescriptor: descriptor) == identity { known = digest }
            return (digest, true)
        }
    }
}
