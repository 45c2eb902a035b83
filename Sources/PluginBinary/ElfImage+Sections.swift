// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One section of a library, which the loader never reads.
struct ElfSection {
    /// Name of the section; empty when the names of the sections cannot be read.
    let name: String
    let type: UInt32
    let offset: UInt64
    let size: UInt64
    let link: UInt32
}

extension ElfImage {
    func sections() throws(PluginBinaryProblem.Kind) -> [ElfSection] {
        let table = try file.read(at: header.sectionHeaders.offset, count: header.sectionHeaders.count * 64)
        let names = try sectionNames(in: table)
        var sections: [ElfSection] = []
        for entry in 0..<Int(header.sectionHeaders.count) {
            let name = try table.integer(at: entry * 64, as: UInt32.self)
            sections.append(
                ElfSection(
                    name: names.text(at: Int(name)),
                    type: try table.integer(at: entry * 64 + 4),
                    offset: try table.integer(at: entry * 64 + 24),
                    size: try table.integer(at: entry * 64 + 32),
                    link: try table.integer(at: entry * 64 + 40)
                )
            )
        }
        return sections
    }

    /// The names of the sections. They only select a remedy, so unreadable names are empty.
    private func sectionNames(in table: ByteBlock) throws(PluginBinaryProblem.Kind) -> ByteBlock {
        let entry = header.sectionNames
        guard entry < Int(header.sectionHeaders.count) else { return ByteBlock([]) }
        let offset = try table.integer(at: entry * 64 + 24, as: UInt64.self)
        let size = try table.integer(at: entry * 64 + 32, as: UInt64.self)
        return (try? file.read(at: offset, count: min(size, 1 << 20))) ?? ByteBlock([])
    }
}
