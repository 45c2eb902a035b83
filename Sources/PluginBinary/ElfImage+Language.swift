// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The marks that compilers leave in a library. They select the remedy for a language and decide nothing.
extension ElfImage {
    /// The language of the library's own code. If the library contains code in several languages, the least common
    /// runtime decides: all languages use the C library, and many use that of C++.
    func language(needs: [String]) -> LibraryLanguage {
        func needsLibrary(_ prefixes: String...) -> Bool {
            needs.contains { name in prefixes.contains { name.hasPrefix($0) } }
        }
        let sections = (try? sections()) ?? []
        func hasSection(_ prefix: String) -> Bool { sections.contains { $0.name.hasPrefix(prefix) } }

        if needsLibrary("libswiftCore.") || hasSection("swift5_") { return .swift }
        if needsLibrary("libgo.so") || hasSection(".go.buildinfo") || hasSection(".note.go.") { return .go }
        if needsLibrary("libstd-") || isCommented("rustc version", in: sections) || defines("rust_eh_personality") {
            return .rust
        }
        if needsLibrary("libstdc++.", "libc++.") || mentions("__gxx_personality_v0") { return .cxx }
        return mentions("_Z19\(PluginBinary.entryName)") ? .cxx : .c
    }

    /// Whether the section in which compilers name themselves contains the text.
    private func isCommented(_ text: String, in sections: [ElfSection]) -> Bool {
        guard let comment = sections.first(where: { $0.name == ".comment" }),
            let bytes = try? file.read(at: comment.offset, count: min(comment.size, 1 << 16))
        else { return false }
        return !bytes.beginnings(ofTextsContaining: text).isEmpty
    }

    private func defines(_ name: String) -> Bool {
        guard let symbols = try? privateSymbols(), let found = try? symbols.named(name) else { return false }
        return found.contains(where: \.isDefined)
    }

    /// Whether a symbol that the library defines or uses has a name that contains the text.
    private func mentions(_ text: String) -> Bool {
        let tables = [try? exportedSymbols().names, (try? privateSymbols())?.names]
        return tables.contains { $0.map { !$0.beginnings(ofTextsContaining: text).isEmpty } ?? false }
    }
}
