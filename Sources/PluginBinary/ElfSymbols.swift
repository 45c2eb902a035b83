// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One symbol table with its names. It does not resolve names in other libraries.
struct ElfSymbols {
    static let entrySize: UInt64 = 24

    struct Symbol {
        let name: String
        let isDefined: Bool
        let isFunction: Bool
        /// Whether the symbol is a function, or an indirect function that selects one when the library is loaded.
        let isCallable: Bool
        /// Whether the symbol is global, weak or unique, so that other files can use it.
        let isGlobal: Bool
        /// Whether the symbol is weak: it may stay undefined.
        let isWeak: Bool
        let isHidden: Bool
        /// Whether the symbol has an old version, which is visible only to programs that were linked with that version.
        let isOutdated: Bool

        var isExported: Bool { isDefined && isGlobal && !isHidden }
    }

    let table: ByteBlock
    let names: ByteBlock
    /// Version numbers of the symbols; nil in a library without versions.
    var versions: ByteBlock?

    private static let prefixes = ["bgtask_", "bgt_"].map { Array($0.utf8) }

    /// All symbols whose names are reserved for the ABI, in the table's order.
    func ours() throws(PluginBinaryProblem.Kind) -> [Symbol] {
        try symbols { name in Self.prefixes.contains { names.starts(with: $0, at: name) } }
    }

    /// All symbols with that name. A library may have several, with different versions.
    func named(_ text: String) throws(PluginBinaryProblem.Kind) -> [Symbol] {
        let wanted = Array(text.utf8) + [0]
        return try symbols { names.starts(with: wanted, at: $0) }
    }

    /// All symbols whose names contain the text, in the table's order.
    func containing(_ text: String) throws(PluginBinaryProblem.Kind) -> [Symbol] {
        let beginnings = names.beginnings(ofTextsContaining: text)
        if beginnings.isEmpty { return [] }
        return try symbols { name in beginnings.contains { $0.contains(name) } }
    }

    func all() throws(PluginBinaryProblem.Kind) -> [Symbol] { try symbols { _ in true } }

    private func symbols(_ isWanted: (_ name: Int) -> Bool) throws(PluginBinaryProblem.Kind) -> [Symbol] {
        var found: [Symbol] = []
        for entry in 0..<table.count / Int(Self.entrySize) {
            let offset = entry * Int(Self.entrySize)
            let name = Int(try table.integer(at: offset, as: UInt32.self))
            guard isWanted(name) else { continue }
            let info = try table.integer(at: offset + 4, as: UInt8.self)
            let kind = info & 0xf
            let visibility = try table.integer(at: offset + 5, as: UInt8.self) & 3
            found.append(
                Symbol(
                    name: names.text(at: name),
                    isDefined: try table.integer(at: offset + 6, as: UInt16.self) != 0,
                    isFunction: kind == 2,
                    isCallable: kind == 2 || kind == 10,
                    isGlobal: [1, 2, 10].contains(info >> 4),
                    isWeak: info >> 4 == 2,
                    isHidden: visibility == 1 || visibility == 2,
                    isOutdated: try versions.map { versions throws(PluginBinaryProblem.Kind) in
                        try versions.integer(at: entry * 2, as: UInt16.self) & 0x8000 != 0
                    } ?? false
                )
            )
        }
        return found
    }
}
