// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A symbol version that a library requires of another one.
struct RequiredVersion: Hashable {
    let name: String
    /// File name of the library that has to define the version, as in DT_NEEDED.
    let file: String
    /// Whether the loader accepts the library without the version (VER_FLG_WEAK).
    let isWeak: Bool
}

extension ElfImage {
    private static let needSize: UInt64 = 16
    private static let definitionSize: UInt64 = 20
    /// Maximum number of records in one table. Real tables have fewer than 200; the limit protects against forged ones.
    private static let mostRecords = 4096

    /// Whether the library numbers the versions of its symbols (DT_VERSYM), with or without definitions.
    func hasSymbolVersions() throws(PluginBinaryProblem.Kind) -> Bool { try dynamicTable()[.symbolVersions] != nil }

    /// The symbol versions that the library requires (DT_VERNEED), in the order of the table.
    func requiredVersions() throws(PluginBinaryProblem.Kind) -> [RequiredVersion] {
        let dynamic = try dynamicTable()
        guard let table = dynamic[.versionNeeds] else { return [] }
        let names = try names(of: dynamic)
        var found: [RequiredVersion] = []
        for library in try chain(from: table, size: Self.needSize, next: 12) {
            let file = names.text(at: Int(try library.bytes.integer(at: 4, as: UInt32.self)))
            let versions = library.address &+ UInt64(try library.bytes.integer(at: 8, as: UInt32.self))
            let limit = Self.mostRecords - found.count
            for version in try chain(from: versions, size: Self.needSize, next: 12, limit: limit) {
                let name = names.text(at: Int(try version.bytes.integer(at: 8, as: UInt32.self)))
                let flags = try version.bytes.integer(at: 4, as: UInt16.self)
                found.append(RequiredVersion(name: name, file: file, isWeak: flags & 2 != 0))
            }
        }
        return found
    }

    /// The names of the symbol versions that the library defines (DT_VERDEF); nil without such a table.
    func definedVersions() throws(PluginBinaryProblem.Kind) -> Set<String>? {
        let dynamic = try dynamicTable()
        guard let table = dynamic[.versionDefinitions] else { return nil }
        let names = try names(of: dynamic)
        var found: Set<String> = []
        for definition in try chain(from: table, size: Self.definitionSize, next: 16) {
            // The first name is the version's own; further names are its predecessors.
            let first = definition.address &+ UInt64(try definition.bytes.integer(at: 12, as: UInt32.self))
            let name = try read(atAddress: first, count: 8).integer(at: 0, as: UInt32.self)
            found.insert(names.text(at: Int(name)))
        }
        return found
    }

    /// A chain of records, each of which contains the distance to the next one, 0 in the last.
    ///
    /// - Parameter next: offset of that distance in a record.
    private func chain(
        from start: UInt64,
        size: UInt64,
        next: Int,
        limit: Int = mostRecords
    ) throws(PluginBinaryProblem.Kind) -> [(bytes: ByteBlock, address: UInt64)] {
        var records: [(bytes: ByteBlock, address: UInt64)] = []
        var address = start
        while records.count < limit {
            let record = try read(atAddress: address, count: size)
            records.append((record, address))
            let distance = try record.integer(at: next, as: UInt32.self)
            if distance == 0 { return records }
            address &+= UInt64(distance)
        }
        throw .damaged("its table of symbol versions has no end")
    }
}
