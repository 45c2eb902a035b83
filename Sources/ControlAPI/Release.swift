// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The version that host and command share. Not that of the plugin ABI.
package enum Release {
    package static let version = "0.1.0"
}
