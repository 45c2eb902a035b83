// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The identity of a file, regardless of its contents: no two files that exist at the same time have the same one.
package struct FileKey: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
