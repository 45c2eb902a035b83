// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import PluginBinary
internal import TaskModel

/// Result of examining one pinned file: its digest, or the reason why it has none.
enum ExaminedFile: Sendable {
    case read(digest: String, FileIdentity)
    case unreadable(errno: Int32)
    /// The path leads to a directory, a device, a pipe or a socket.
    case notAFile
    /// The file was written during the examination.
    case changing

    /// Identity of the examined file; nil when another examination may give a different result.
    var identity: FileIdentity? {
        guard case .read(_, let identity) = self else { return nil }
        return identity
    }

    /// Examines the file at a path.
    ///
    /// - Parameter digest: computes the digest of the open file with that identity.
    static func examine(
        path: String,
        digest: (CInt, FileIdentity) throws(PluginBinaryProblem) -> String
    ) -> ExaminedFile {
        // Without O_NONBLOCK, opening a named pipe would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return .unreadable(errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        let identity = FileIdentity(status)
        guard let digest = try? digest(descriptor, identity) else { return .unreadable(errno: EIO) }
        return FileIdentity(ofDescriptor: descriptor) == identity ? .read(digest: digest, identity) : .changing
    }
}
