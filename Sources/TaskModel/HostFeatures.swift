// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The features that a manifest can require of a host under `requires`. Names are compared byte by byte.
package enum HostFeatures {
    /// The features of the ABI: `query` returns a table for each of these names.
    package static let ofABI = [
        "bgtask.legacy-fetch/1", "bgtask.cursor/1", "bgtask.push/1", "bgtask.transfer/1", "bgtask.notification/1",
    ]
    /// The parts of the manifest format that a host may lack.
    package static let ofManifest = ["manifest.library-per-architecture", "manifest.extension-point"]
    /// All features of this release, in the order of display.
    package static let all = ofABI + ofManifest

    /// The required names that are not among the offered ones, each once, in the order of the requirement.
    package static func missing(of required: [String], offered: [String] = all) -> [String] {
        var seen = Set(offered)
        return required.filter { seen.insert($0).inserted }
    }
}
