// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The bgtask notes of one library, which may have one for each major version of the ABI.
struct BinaryNotes: Hashable {
    /// The note for this host's major version; nil when there is none.
    private(set) var ours: BinaryNote?
    /// The other major versions, sorted. Of their notes, only the version is read: its other fields may have any
    /// meaning.
    private(set) var otherMajors: [Int] = []

    var isEmpty: Bool { ours == nil && otherMajors.isEmpty }

    /// Adds the bgtask notes among `notes`. Throws for a damaged note, and for two different notes of this host's major
    /// version.
    ///
    /// - Parameter alignment: alignment of names and descriptors in bytes, 4 or 8.
    mutating func add(_ notes: ByteBlock, alignment: Int) throws(PluginBinaryProblem.Kind) {
        var offset = 0
        while offset + 12 <= notes.count {
            let nameSize = Int(try notes.integer(at: offset, as: UInt32.self))
            let descriptorSize = Int(try notes.integer(at: offset + 4, as: UInt32.self))
            let type = try notes.integer(at: offset + 8, as: UInt32.self)
            let descriptor = Self.aligned(offset + 12 + nameSize, to: alignment)
            if type == BinaryNote.type, notes.holds(BinaryNote.owner, at: offset + 12, count: nameSize) {
                try add(notes, descriptor: descriptor, size: descriptorSize)
            }
            offset = Self.aligned(descriptor + descriptorSize, to: alignment)
        }
    }

    private mutating func add(
        _ notes: ByteBlock,
        descriptor: Int,
        size: Int
    ) throws(PluginBinaryProblem.Kind) {
        guard size >= 4 else { throw .damaged("its bgtask note has \(size) bytes, which hold no major version") }
        let major = Int(try notes.integer(at: descriptor, as: UInt32.self))
        guard major == HostABI.major else {
            if !otherMajors.contains(major) { otherMajors = (otherMajors + [major]).sorted() }
            return
        }
        guard size >= BinaryNote.descriptorSize else {
            throw .damaged("its bgtask note has \(size) bytes instead of \(BinaryNote.descriptorSize)")
        }
        let note = BinaryNote(
            major: major,
            requiredMinor: Int(try notes.integer(at: descriptor + 4, as: UInt32.self)),
            headerMinor: Int(try notes.integer(at: descriptor + 8, as: UInt32.self))
        )
        guard note.requiredMinor <= note.headerMinor else {
            throw .damaged(
                "its bgtask note requires minor \(note.requiredMinor), which is newer than its header's minor"
                    + " \(note.headerMinor)"
            )
        }
        guard ours == nil || ours == note else {
            throw .damaged("it has two different bgtask notes for ABI major version \(major)")
        }
        ours = note
    }

    private static func aligned(_ offset: Int, to alignment: Int) -> Int {
        (offset + alignment - 1) / alignment * alignment
    }

    /// The reason why a host refuses the library; nil when it has a note that this host accepts.
    var problem: PluginBinaryProblem.Kind? {
        guard let ours else {
            guard let newest = otherMajors.last else { return .noNote }
            return newest > HostABI.major ? .newerMajors(otherMajors) : .olderMajors(otherMajors)
        }
        guard ours.requiredMinor > HostABI.minor else { return nil }
        return .newerMinor(required: ours.requiredMinor, offered: HostABI.minor)
    }
}
