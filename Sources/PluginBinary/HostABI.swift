// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The plugin ABI version of this release, as in `bgtask.h`.
package enum HostABI {
    package static let major = 1
    package static let minor = 0
}
