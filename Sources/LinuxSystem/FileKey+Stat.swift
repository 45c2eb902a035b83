// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Glibc
package import TaskModel

extension FileKey {
    package init(_ status: stat) { self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }

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
