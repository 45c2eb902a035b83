// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Glibc
package import TaskModel

extension FileIdentity {
    /// The identity of an open file; nil with `errno` set when the system call fails.
    package init?(ofDescriptor descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Identity of the file at the path, after following symbolic links; nil with `errno` set when the system call
    /// fails.
    package init?(ofPath path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Self.nanoseconds(status.st_mtim),
            changed: Self.nanoseconds(status.st_ctim)
        )
    }

    // Wraps instead of trapping: file systems contain arbitrary dates, and only equality matters.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
