// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The version that host and command have in common. The plugin ABI has its own version.
package enum Release {
    package static let version = "0.1.0"
}
