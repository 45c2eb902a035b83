// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The files in the directory of a main bundle, where Foundation on Linux searches for them. Foundation takes the
/// directory from the path of the process's program.
package enum BundleLayout {
    package static let program = "Contents/Linux/bgtask-runner"
    package static let information = "Contents/Info.plist"
    package static let resources = "Contents/Resources"

    /// The directory of the bundle to which a program belongs; nil for a program outside of a bundle.
    package static func bundle(ofProgram path: String) -> String? {
        let end = "/\(program)"
        return path.hasSuffix(end) && path.utf8.count > end.utf8.count ? String(path.dropLast(end.count)) : nil
    }
}
