// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The ELF note of a library: the ABI version for which the library claims to be built. Nothing checks that its code
/// uses this version.
package struct BinaryNote: Hashable, Sendable {
    package let major: Int
    /// The lowest minor version of the ABI that the plugin requires.
    package let requiredMinor: Int

    package init(major: Int, requiredMinor: Int) {
        self.major = major
        self.requiredMinor = requiredMinor
    }

    static let owner: [UInt8] = Array("bgtask".utf8) + [0]
    static let type: UInt32 = 1
    private static let descriptorSize = 8

    /// Finds the bgtask note among `notes`; nil when there is none.
    ///
    /// - Parameter alignment: alignment of names and descriptors in bytes, 4 or 8.
    static func find(in notes: ByteBlock, alignment: Int) throws(PluginBinaryProblem.Kind) -> BinaryNote? {
        var found: BinaryNote?
        var offset = 0
        while offset + 12 <= notes.count {
            let nameSize = Int(try notes.integer(at: offset, as: UInt32.self))
            let descriptorSize = Int(try notes.integer(at: offset + 4, as: UInt32.self))
            let type = try notes.integer(at: offset + 8, as: UInt32.self)
            let descriptor = aligned(offset + 12 + nameSize, to: alignment)
            if type == Self.type, notes.holds(owner, at: offset + 12, count: nameSize) {
                // A later minor may lengthen the descriptor; its first two fields keep their meaning.
                guard descriptorSize >= Self.descriptorSize else {
                    throw .damaged("its bgtask note has \(descriptorSize) bytes, fewer than \(Self.descriptorSize)")
                }
                let note = BinaryNote(
                    major: Int(try notes.integer(at: descriptor, as: UInt32.self)),
                    requiredMinor: Int(try notes.integer(at: descriptor + 4, as: UInt32.self))
                )
                guard found == nil || found == note else {
                    throw .damaged("it has two different bgtask notes, so its parts require different ABI versions")
                }
                found = note
            }
            offset = aligned(descriptor + descriptorSize, to: alignment)
        }
        return found
    }

    private static func aligned(_ offset: Int, to alignment: Int) -> Int {
        (offset + alignment - 1) / alignment * alignment
    }
}
