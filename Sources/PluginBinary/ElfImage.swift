// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The tables of one library: notes, dynamic entries and symbols. It reads the program headers, as the loader does.
/// Sections are used only for data that the loader never reads.
struct ElfImage {
    private struct Segment {
        let type: UInt32
        let flags: UInt32
        let offset: UInt64
        let address: UInt64
        let fileSize: UInt64
        let alignment: UInt64
    }

    private static let mostNotes: UInt64 = 1 << 20

    let file: LibraryBytes
    let header: ElfHeader
    private let segments: [Segment]

    init(_ file: LibraryBytes) throws(PluginBinaryProblem.Kind) {
        self.file = file
        header = try ElfHeader(of: file)
        let table = try file.read(at: header.programHeaders.offset, count: header.programHeaders.count * 56)
        var segments: [Segment] = []
        for entry in 0..<Int(header.programHeaders.count) {
            let segment = Segment(
                type: try table.integer(at: entry * 56),
                flags: try table.integer(at: entry * 56 + 4),
                offset: try table.integer(at: entry * 56 + 8),
                address: try table.integer(at: entry * 56 + 16),
                fileSize: try table.integer(at: entry * 56 + 32),
                alignment: try table.integer(at: entry * 56 + 48)
            )
            // The loader would map a segment beyond the end of the file all the same, and access to its pages would
            // kill the process.
            guard segment.offset <= file.size, segment.fileSize <= file.size - segment.offset else { throw .truncated }
            segments.append(segment)
        }
        self.segments = segments
    }

    // MARK: Notes

    func bgtaskNotes() throws(PluginBinaryProblem.Kind) -> BinaryNotes {
        // Real notes take a few hundred bytes; the limit protects against thousands of forged tables.
        var budget = Self.mostNotes
        func notes(at offset: UInt64, count: UInt64) throws(PluginBinaryProblem.Kind) -> ByteBlock {
            guard count <= budget else { throw .damaged("its notes have more than \(Self.mostNotes) bytes") }
            budget -= count
            return try file.read(at: offset, count: count)
        }
        var found = BinaryNotes()
        for segment in segments where segment.type == 4 {
            let notes = try notes(at: segment.offset, count: segment.fileSize)
            let earlier = found
            try found.add(notes, alignment: 4)
            if segment.alignment == 8, found == earlier { try found.add(notes, alignment: 8) }
        }
        if !found.isEmpty { return found }
        // A linker script can leave a note section out of every segment; its contents are equally valid.
        for section in try sections() where section.type == 7 {
            try found.add(try notes(at: section.offset, count: section.size), alignment: 4)
        }
        return found
    }

    // MARK: Symbols

    /// The dynamic symbol table: the symbols that the loader can look up, and the undefined ones that the library uses.
    func exportedSymbols() throws(PluginBinaryProblem.Kind) -> ElfSymbols {
        let dynamic = try dynamicTable()
        // A position-independent executable has the ELF type of a library, but the loader refuses it as one.
        if dynamic.isExecutable { throw .notASharedLibrary("a position-independent executable") }
        guard let symbols = dynamic[.symbolTable] else { throw .damaged("its dynamic segment names no symbol table") }
        let count = try symbolCount(gnuHash: dynamic[.gnuHash], hash: dynamic[.hash])
        var exported = ElfSymbols(
            table: try read(atAddress: symbols, count: UInt64(count) * ElfSymbols.entrySize),
            names: try names(of: dynamic)
        )
        if let versions = dynamic[.symbolVersions] {
            exported.versions = try read(atAddress: versions, count: UInt64(count) * 2)
        }
        return exported
    }

    /// The symbols for debuggers, which the loader does not use; nil when they were stripped, or their section refers
    /// to no section of names.
    func privateSymbols() throws(PluginBinaryProblem.Kind) -> ElfSymbols? {
        let sections = try sections()
        guard let table = sections.first(where: { $0.type == 2 }), sections.indices.contains(Int(table.link)) else {
            return nil
        }
        let names = sections[Int(table.link)]
        return ElfSymbols(
            table: try file.read(at: table.offset, count: table.size),
            names: try file.read(at: names.offset, count: names.size)
        )
    }

    func dynamicTable() throws(PluginBinaryProblem.Kind) -> ElfDynamic {
        guard let dynamic = segments.first(where: { $0.type == 2 }) else {
            throw .notASharedLibrary("an ELF file without a dynamic segment")
        }
        return try ElfDynamic(file.read(at: dynamic.offset, count: min(dynamic.fileSize, 1 << 16)))
    }

    func names(of dynamic: ElfDynamic) throws(PluginBinaryProblem.Kind) -> ByteBlock {
        guard let strings = dynamic[.stringTable], let size = dynamic[.stringTableSize] else {
            throw .damaged("its dynamic segment names no string table")
        }
        return try read(atAddress: strings, count: size)
    }

    // MARK: Traits

    /// The language of the library, and its properties that affect loading, apart from its symbols.
    func traits() throws(PluginBinaryProblem.Kind) -> LibraryTraits {
        let dynamic = try dynamicTable()
        let names = try names(of: dynamic)
        let isReadOnlyAfterwards = segments.contains { $0.type == 0x6474_e552 }
        return LibraryTraits(
            name: dynamic[.sharedName].map { names.text(at: Int(clamping: $0)) },
            needs: dynamic.all(.needed).map { names.text(at: Int(clamping: $0)) },
            searchPaths: (dynamic.all(.runPath) + dynamic.all(.oldRunPath)).map { names.text(at: Int(clamping: $0)) },
            // Without that header the loader assumes an executable stack.
            wantsExecutableStack: segments.first { $0.type == 0x6474_e551 }.map { $0.flags & 1 != 0 } ?? true,
            hasTextRelocations: dynamic.hasTextRelocations,
            relocationProtection: isReadOnlyAfterwards ? (dynamic.isBoundAtOnce ? .full : .partial) : .none,
            usesStaticThreadStorage: dynamic.usesStaticThreadStorage,
            language: language(needs: dynamic.all(.needed).map { names.text(at: Int(clamping: $0)) })
        )
    }

    /// The number of symbols. The dynamic segment does not contain it, so it is computed from the hash table; 0 without
    /// one.
    private func symbolCount(gnuHash: UInt64?, hash: UInt64?) throws(PluginBinaryProblem.Kind) -> UInt32 {
        if let gnuHash { return try symbolCount(gnuHash: gnuHash) }
        guard let hash else { return 0 }
        return try read(atAddress: hash, count: 8).integer(at: 4)
    }

    private func symbolCount(gnuHash address: UInt64) throws(PluginBinaryProblem.Kind) -> UInt32 {
        let header = try read(atAddress: address, count: 16)
        let bucketCount = try header.integer(at: 0, as: UInt32.self)
        let firstSymbol = try header.integer(at: 4, as: UInt32.self)
        let filterSize = UInt64(try header.integer(at: 8, as: UInt32.self)) * 8

        // Wrapping arithmetic, because a segment may claim the very end of the address space. A wrapped address is in
        // no segment.
        let buckets = try read(atAddress: address &+ 16 &+ filterSize, count: UInt64(bucketCount) * 4)
        var last: UInt32 = 0
        for bucket in 0..<Int(bucketCount) {
            last = max(last, try buckets.integer(at: bucket * 4))
        }
        if last == 0 { return 0 }
        guard last >= firstSymbol else { throw .damaged("its symbol hash table is inconsistent") }

        let chains = address &+ 16 &+ filterSize &+ UInt64(bucketCount) * 4
        while UInt64(last) < LibraryBytes.largestRead / ElfSymbols.entrySize {
            let link = try read(atAddress: chains &+ UInt64(last - firstSymbol) * 4, count: 4)
            last += 1
            if try link.integer(at: 0, as: UInt32.self) & 1 == 1 { return last }
        }
        throw .damaged("its symbol hash table has no end")
    }

    func read(atAddress address: UInt64, count: UInt64) throws(PluginBinaryProblem.Kind) -> ByteBlock {
        for segment in segments where segment.type == 1 && address >= segment.address {
            let into = address - segment.address
            if into <= segment.fileSize, count <= segment.fileSize - into {
                return try file.read(at: segment.offset + into, count: count)
            }
        }
        throw .damaged("a table lies outside of the loaded segments")
    }
}
