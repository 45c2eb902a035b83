// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A file as the kernel distinguishes it from the others that exist at the same time, whatever its contents.
package struct FileKey: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
