// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One symbol table and its names. Looks only for names of ours.
struct ElfSymbols {
    static let entrySize: UInt64 = 24

    struct Symbol {
        let name: String
        let isDefined: Bool
        let isFunction: Bool
        /// Global, weak or unique.
        let isGlobal: Bool
        /// May stay undefined.
        let isWeak: Bool
        let isHidden: Bool
    }

    let table: ByteBlock
    let names: ByteBlock

    private static let prefixes = ["bgtask_", "bgt_"].map { Array($0.utf8) }

    /// Every symbol whose name is reserved for the ABI, in the table's order.
    func ours() throws(PluginBinaryProblem.Kind) -> [Symbol] {
        var found: [Symbol] = []
        for entry in 0..<table.count / Int(Self.entrySize) {
            let offset = entry * Int(Self.entrySize)
            let name = Int(try table.integer(at: offset, as: UInt32.self))
            guard Self.prefixes.contains(where: { names.starts(with: $0, at: name) }) else { continue }
            let info = try table.integer(at: offset + 4, as: UInt8.self)
            let visibility = try table.integer(at: offset + 5, as: UInt8.self) & 3
            found.append(
                Symbol(
                    name: names.text(at: name),
                    isDefined: try table.integer(at: offset + 6, as: UInt16.self) != 0,
                    isFunction: info & 0xf == 2,
                    isGlobal: [1, 2, 10].contains(info >> 4),
                    isWeak: info >> 4 == 2,
                    isHidden: visibility == 1 || visibility == 2
                )
            )
        }
        return found
    }
}
