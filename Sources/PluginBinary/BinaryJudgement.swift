// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The problems of one ELF image under the rules of the ABI, in the order of a host's checks.
struct BinaryJudgement {
    let notes: BinaryNotes
    let problems: [PluginBinaryProblem.Kind]

    init(notes: BinaryNotes, problems: [PluginBinaryProblem.Kind]) {
        self.notes = notes
        self.problems = problems
    }

    init(of image: ElfImage, for use: LibraryUse) throws(PluginBinaryProblem.Kind) {
        switch use {
        case .entry: try self.init(of: image)
        case .functions(let names): try self.init(of: image, binding: names)
        }
    }

    /// Checks the library of a plugin with an entry function. Throws when the exported symbols cannot be read, as for a
    /// file that is not a library; the missing note of such a file is not reported.
    init(of image: ElfImage) throws(PluginBinaryProblem.Kind) {
        let symbols = try image.exportedSymbols().ours()
        var problems: [PluginBinaryProblem.Kind] = []
        var notes = BinaryNotes()
        do throws(PluginBinaryProblem.Kind) {
            notes = try image.bgtaskNotes()
            if let problem = notes.problem { problems.append(problem) }
        } catch {
            problems.append(error)
        }
        do throws(PluginBinaryProblem.Kind) {
            problems += try Self.problems(withExports: symbols, of: image)
        } catch {
            problems.append(error)
        }
        do throws(PluginBinaryProblem.Kind) {
            problems += try image.searchPathProblems()
        } catch {
            problems.append(error)
        }
        do throws(PluginBinaryProblem.Kind) {
            problems += try image.dynamicTable().problems
        } catch {
            problems.append(error)
        }
        self.notes = notes
        self.problems = problems
    }

    private static func problems(
        withExports symbols: [ElfSymbols.Symbol],
        of image: ElfImage
    ) throws(PluginBinaryProblem.Kind) -> [PluginBinaryProblem.Kind] {
        let exports = symbols.filter(\.isExported)
        let others = exports.filter { !HostABI.isEntryName($0.name) }.map {
            PluginBinaryProblem.Kind.foreignExport($0.name)
        }
        guard let entry = exports.first(where: { $0.name == PluginBinary.entryName }) else {
            return [try Self.problem(ofMissingEntryIn: image)] + others
        }
        return (entry.isFunction ? [] : [.entryNotAFunction]) + others
    }

    /// The problem of a library that exports no entry: the entry is hidden, has a mangled name, or is missing. A
    /// mangled name is recognized by the text of the original name, which it contains.
    private static func problem(ofMissingEntryIn image: ElfImage) throws(PluginBinaryProblem.Kind)
        -> PluginBinaryProblem.Kind
    {
        var mangled: String?
        for symbols in [try image.privateSymbols(), try image.exportedSymbols()] {
            let found = try symbols?.containing(PluginBinary.entryName).filter(\.isDefined) ?? []
            if found.contains(where: { $0.name == PluginBinary.entryName }) { return .entryHidden }
            mangled = mangled ?? found.first { $0.isFunction && !HostABI.isEntryName($0.name) }?.name
        }
        return mangled.map { .entryMangled($0) } ?? .entryMissing
    }
}
