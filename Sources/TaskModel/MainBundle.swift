// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The bundle that `Bundle.main` of Foundation describes in the launches of one plugin.
package struct MainBundle: Hashable, Sendable {
    /// Contents of the file `Info.plist`: a property list, XML or binary.
    package let information: [UInt8]
    /// Directory of the resources: the one of the plugin's library.
    package let resources: String
    /// Paths, relative to the directory, of the resources in the bundle; nil for all files of the directory.
    package let linked: [String]?

    package init(information: [UInt8], resources: String, linked: [String]? = nil) {
        self.information = information
        self.resources = resources
        self.linked = linked
    }
}
