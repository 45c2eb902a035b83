// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What the host adds to the description of a transfer for one launch.
package struct TransferTerms: Hashable, Sendable {
    /// Path of the whole file, and of the incomplete one, relative to the container.
    package let filePath: String
    package let partPath: String
    /// Maximum number of bytes per second; 0 for no limit.
    package let rate: Int
    /// The bytes of free space that the transfer leaves on the file system.
    package let reserve: Int64
    /// Whether the transfer may reach this machine and private networks.
    package let permitsPrivateAddresses: Bool

    package init(of transfer: Transfer, rate: Int, reserve: Int64, permitsPrivateAddresses: Bool) {
        filePath = transfer.filePath
        partPath = transfer.partPath
        self.rate = rate
        self.reserve = reserve
        self.permitsPrivateAddresses = permitsPrivateAddresses
    }

    /// The lines that follow the description; see `transfer_host.h`.
    package var text: String {
        "host-part: \(partPath)\nhost-file: \(filePath)\nhost-rate: \(rate)\nhost-reserve: \(reserve)\n"
            + (permitsPrivateAddresses ? "host-private: 1\n" : "")
    }
}
