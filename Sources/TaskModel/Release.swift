// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The version of this release, which `bgtaskd` and `bgtask` have in common. The plugin ABI has a version of its own.
package enum Release {
    package static let version = "0.1.0"
}
