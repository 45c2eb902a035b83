// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The ELF note of a library for one major version of the ABI: the version for which the library claims to be built.
/// Nothing checks that its code uses this version.
package struct BinaryNote: Hashable, Sendable {
    package let major: Int
    /// The lowest minor version of the ABI that the plugin requires.
    package let requiredMinor: Int
    /// The minor version of the header that the plugin was built with. The host hands the plugin no kind and no event
    /// of a later minor version.
    package let headerMinor: Int

    package init(major: Int, requiredMinor: Int, headerMinor: Int) {
        self.major = major
        self.requiredMinor = requiredMinor
        self.headerMinor = headerMinor
    }

    static let owner: [UInt8] = Array("bgtask".utf8) + [0]
    static let type: UInt32 = 1
    /// The least size of a descriptor of this host's major version. A later minor version may lengthen the descriptor.
    static let descriptorSize = 12
}
