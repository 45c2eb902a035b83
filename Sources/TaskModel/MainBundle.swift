// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The bundle that `Bundle.main` of Foundation describes in the launches of one plugin.
package struct MainBundle: Hashable, Sendable {
    /// Contents of the file `Info.plist`: a property list, XML or binary.
    package let information: [UInt8]
    /// Directory of the resources: the one of the plugin's library.
    package let resources: String

    package init(information: [UInt8], resources: String) {
        self.information = information
        self.resources = resources
    }
}
