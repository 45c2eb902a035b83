// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import TaskModel

/// An open file that may be a library. The value does not own the descriptor.
struct OpenLibrary {
    let descriptor: CInt
    let identity: FileIdentity

    init(descriptor: CInt) throws(PluginBinaryProblem.Kind) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(Self.kindName(status.st_mode)) }
        self.descriptor = descriptor
        identity = FileIdentity(status)
    }

    func image() throws(PluginBinaryProblem.Kind) -> ElfImage {
        try ElfImage(LibraryBytes(descriptor: descriptor, size: UInt64(clamping: identity.size)))
    }

    private static func kindName(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}
