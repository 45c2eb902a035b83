// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Glibc

/// A file as the kernel distinguishes it from the others that exist at the same time, whatever its contents.
package struct FileKey: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    package init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
    }

    /// The file to which a path leads; nil when it leads to none.
    package init?(ofPath path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file behind a descriptor; nil for a closed descriptor.
    package init?(of descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}
