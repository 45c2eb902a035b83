// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The instructions of a library to the loader about other libraries.
struct ElfLinks {
    /// The shared-object name (SONAME); nil when the library has none. The loader uses the loaded library for each
    /// later need of this name.
    let name: String?
    let needs: [String]
    /// Search path for the needed libraries (RUNPATH); nil when the library has none.
    let runPath: String?
    /// Search path for the needed libraries and for theirs (RPATH); nil when the library has none. It has no effect
    /// beside a RUNPATH.
    let inheritedPath: String?
    let ignoresStandardDirectories: Bool
    /// Whether the loader loads the library only at the start of a program.
    let isOnlyForStart: Bool
    /// Names of the libraries that define symbols in place of this one (DT_FILTER). The loader requires them.
    let filtered: [String]
    /// Names of the libraries that may define symbols in place of this one (DT_AUXILIARY). The loader continues without
    /// them.
    let auxiliaries: [String]

    /// Names of the libraries without which the loader refuses the library.
    var required: [String] { needs + filtered }
}

extension ElfImage {
    func links() throws(PluginBinaryProblem.Kind) -> ElfLinks {
        let dynamic = try dynamicTable()
        let names = try names(of: dynamic)
        func text(_ tag: ElfDynamic.Tag) -> String? { dynamic[tag].map { names.text(at: Int(clamping: $0)) } }
        return ElfLinks(
            name: text(.sharedName),
            needs: dynamic.all(.needed).map { names.text(at: Int(clamping: $0)) },
            runPath: text(.runPath),
            inheritedPath: text(.oldRunPath),
            ignoresStandardDirectories: dynamic.ignoresStandardDirectories,
            isOnlyForStart: dynamic.isOnlyForStart,
            filtered: dynamic.all(.filter).map { names.text(at: Int(clamping: $0)) },
            auxiliaries: dynamic.all(.auxiliary).map { names.text(at: Int(clamping: $0)) }
        )
    }

    /// Names of the undefined symbols without which the loader refuses the library: a relocation refers to them, and
    /// they are not weak. In the order of the symbol table.
    func requiredSymbols() throws(PluginBinaryProblem.Kind) -> [String] {
        let dynamic = try dynamicTable()
        let names = try names(of: dynamic)
        guard let table = dynamic[.symbolTable] else { return [] }
        var found: [String] = []
        for symbol in try relocatedSymbols(dynamic).sorted() {
            let address = table &+ UInt64(symbol) * ElfSymbols.entrySize
            let entry = try read(atAddress: address, count: ElfSymbols.entrySize)
            let symbols = try ElfSymbols(table: entry, names: names).all()
            found += symbols.filter { !$0.isDefined && $0.isGlobal && !$0.isWeak && !$0.name.isEmpty }.map(\.name)
        }
        return found
    }

    /// Numbers of all symbols to which relocations of the library refer, in its dynamic symbol table.
    private func relocatedSymbols(_ dynamic: ElfDynamic) throws(PluginBinaryProblem.Kind) -> Set<UInt32> {
        var found: Set<UInt32> = []
        for (table, size) in [
            (ElfDynamic.Tag.relocations, ElfDynamic.Tag.relocationsSize), (.callRelocations, .callRelocationsSize),
        ] {
            guard let address = dynamic[table], let count = dynamic[size], count > 0 else { continue }
            let entries = try read(atAddress: address, count: count)
            for entry in 0..<entries.count / 24 {
                found.insert(try entries.integer(at: entry * 24 + 12, as: UInt32.self))
            }
        }
        // Symbol 0 stands for no symbol.
        found.remove(0)
        return found
    }
}
