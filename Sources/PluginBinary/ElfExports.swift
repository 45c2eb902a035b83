// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Lookup of exported symbols by name, in the hash table that the loader uses. It reads only the entries that it needs;
/// without a GNU hash table, all of them.
struct ElfExports {
    private struct HashTable {
        let buckets: UInt64
        let bucketCount: UInt32
        let firstSymbol: UInt32
        var chains: UInt64 { buckets &+ UInt64(bucketCount) * 4 }
    }

    /// Maximum number of symbols in one bucket. Real buckets have a few; the limit protects against forged tables.
    private static let longestChain: UInt32 = 1 << 16

    private let image: ElfImage
    private let symbols: UInt64
    private let names: ByteBlock
    private let table: HashTable?
    /// All symbols of a library that has no GNU hash table; nil for other libraries.
    private let every: ElfSymbols?

    init(of image: ElfImage) throws(PluginBinaryProblem.Kind) {
        let dynamic = try image.dynamicTable()
        self.image = image
        symbols = dynamic[.symbolTable] ?? 0
        names = try image.names(of: dynamic)
        guard let address = dynamic[.gnuHash] else {
            (table, every) = (nil, try image.exportedSymbols())
            return
        }
        let header = try image.read(atAddress: address, count: 16)
        let filterSize = UInt64(try header.integer(at: 8, as: UInt32.self)) * 8
        table = HashTable(
            buckets: address &+ 16 &+ filterSize,
            bucketCount: try header.integer(at: 0),
            firstSymbol: try header.integer(at: 4)
        )
        every = nil
    }

    /// Whether the library exports a symbol with that name, in any version.
    func contains(_ name: String) throws(PluginBinaryProblem.Kind) -> Bool {
        if let every { return try every.named(name).contains(where: \.isExported) }
        guard let table, table.bucketCount > 0 else { return false }
        let hash = name.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
        let first = try number(at: table.buckets &+ UInt64(hash % table.bucketCount) * 4)
        guard first >= table.firstSymbol else { return false }
        for step in 0..<Self.longestChain {
            let symbol = first &+ step
            let link = try number(at: table.chains &+ UInt64(symbol &- table.firstSymbol) * 4)
            if link | 1 == hash | 1, try isExported(symbol, name) { return true }
            if link & 1 == 1 { return false }
        }
        throw .damaged("its symbol hash table has no end")
    }

    private func number(at address: UInt64) throws(PluginBinaryProblem.Kind) -> UInt32 {
        try image.read(atAddress: address, count: 4).integer(at: 0)
    }

    private func isExported(_ symbol: UInt32, _ name: String) throws(PluginBinaryProblem.Kind) -> Bool {
        let address = symbols &+ UInt64(symbol) * ElfSymbols.entrySize
        let entry = try image.read(atAddress: address, count: ElfSymbols.entrySize)
        return try ElfSymbols(table: entry, names: names).named(name).contains(where: \.isExported)
    }
}
