// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
package import TaskModel

/// A small file that is read completely, up to a limit.
package struct SmallFile {
    /// Limit of the file's size in bytes, far above the size of every manifest and configuration.
    static let largestSize = 1 << 20

    package let bytes: [UInt8]
    package let identity: FileIdentity

    /// Reads the file. When it cannot be read, is not a regular file or is too large, reports a problem and returns
    /// nil.
    package init?(path: String, problems: ProblemCollector) {
        // Without O_NONBLOCK, opening a named pipe would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            Self.report(errno, to: problems)
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, let identity = FileIdentity(ofDescriptor: descriptor) else {
            Self.report(errno, to: problems)
            return nil
        }
        guard Self.isRegular(status, problems) else { return nil }

        let limit = Self.largestSize + 1
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileBytes.range(of: descriptor, count: limit, for: "read \(path)")
        } catch {
            Self.report(error.number, to: problems)
            return nil
        }
        guard bytes.count < limit else {
            problems.report(
                .tooLarge,
                "is larger than \(Self.largestSize) bytes",
                remedy: "shorten the file to at most \(Self.largestSize) bytes"
            )
            return nil
        }
        self.bytes = bytes
        self.identity = identity
    }

    /// Whether a file is a regular file. Reports a problem when it is not. The remedy never removes a device, which
    /// other programs use.
    private static func isRegular(_ status: stat, _ problems: ProblemCollector) -> Bool {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return true
        case S_IFCHR, S_IFBLK:
            problems.report(.unreadable, "is a device", remedy: "name a regular file instead, such as an empty one")
        default:
            problems.report(.unreadable, "is not a regular file", remedy: "name a regular file instead, or remove it")
        }
        return false
    }

    private static func report(_ error: Int32, to problems: ProblemCollector) {
        let remedy =
            switch error {
            case ENOENT, ENOTDIR: "correct the path, or create the file"
            case EACCES: "let the user of this process read the file and search the directories above it"
            default: "check its path and its file system"
            }
        problems.report(.unreadable, "cannot be read: \(String(systemError: error))", remedy: remedy)
    }
}
