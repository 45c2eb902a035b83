// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The dynamic segment of a library, which contains instructions for the loader. It consists of numbers; the names to
/// which they refer are in other tables.
struct ElfDynamic {
    enum Tag: UInt64 {
        case needed = 1
        case callRelocationsSize = 2
        case hash = 4
        case stringTable = 5
        case symbolTable = 6
        case relocations = 7
        case relocationsSize = 8
        case stringTableSize = 10
        case sharedName = 14
        case oldRunPath = 15
        case textRelocations = 22
        case callRelocations = 23
        case bindNow = 24
        case runPath = 29
        case flags = 30
        case gnuHash = 0x6fff_fef5
        case symbolVersions = 0x6fff_fff0
        case moreFlags = 0x6fff_fffb
        case versionDefinitions = 0x6fff_fffc
        case versionNeeds = 0x6fff_fffe
        case auxiliary = 0x7fff_fffd
        case filter = 0x7fff_ffff
    }

    private let entries: [(tag: UInt64, value: UInt64)]

    init(_ table: ByteBlock) throws(PluginBinaryProblem.Kind) {
        var entries: [(tag: UInt64, value: UInt64)] = []
        for entry in 0..<table.count / 16 {
            let tag = try table.integer(at: entry * 16, as: UInt64.self)
            if tag == 0 { break }
            entries.append((tag, try table.integer(at: entry * 16 + 8)))
        }
        self.entries = entries
    }

    /// Value of a tag; nil when the tag is missing. Of repeated tags the last one counts, as for the loader.
    subscript(tag: Tag) -> UInt64? { entries.last { $0.tag == tag.rawValue }?.value }

    func all(_ tag: Tag) -> [UInt64] { entries.filter { $0.tag == tag.rawValue }.map(\.value) }

    var isExecutable: Bool { has(0x0800_0000, in: .moreFlags) }

    /// Whether the loader searches only the search paths of the library itself for the needed libraries.
    var ignoresStandardDirectories: Bool { has(0x800, in: .moreFlags) }

    /// Whether the loader loads the library only at the start of a program, and refuses dlopen.
    var isOnlyForStart: Bool { has(0x40, in: .moreFlags) }

    /// Whether the library's variables per thread need space that the loader reserved at the start of the program.
    var usesStaticThreadStorage: Bool { has(0x10, in: .flags) }

    /// Reasons why a host refuses a library with these instructions to the loader. The flag that prevents unloading
    /// (DF_1_NODELETE) is no such reason: a runner never unloads a library.
    var problems: [PluginBinaryProblem.Kind] {
        (isOnlyForStart ? [.notOpenable(nil)] : []) + (hasTextRelocations ? [.textRelocations] : [])
    }

    var hasTextRelocations: Bool { self[.textRelocations] != nil || has(0x4, in: .flags) }

    /// Whether the loader resolves all symbols when it loads the library, so that the table of their addresses can
    /// become read-only afterwards.
    var isBoundAtOnce: Bool { self[.bindNow] != nil || has(0x8, in: .flags) || has(0x1, in: .moreFlags) }

    private func has(_ bit: UInt64, in tag: Tag) -> Bool { (self[tag] ?? 0) & bit != 0 }
}
