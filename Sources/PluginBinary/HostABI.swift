// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The plugin ABI that this version speaks: the numbers of `bgtask.h`. Says nothing about any plugin.
package enum HostABI {
    package static let major = 1
    package static let minor = 0
}
