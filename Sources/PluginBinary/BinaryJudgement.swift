// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The problems of one ELF image under the rules of the ABI, in the order of a host's checks.
struct BinaryJudgement {
    let note: BinaryNote?
    let problems: [PluginBinaryProblem.Kind]

    init(note: BinaryNote?, problems: [PluginBinaryProblem.Kind]) {
        self.note = note
        self.problems = problems
    }

    init(of image: ElfImage, for use: LibraryUse) throws(PluginBinaryProblem.Kind) {
        switch use {
        case .entry: try self.init(of: image)
        case .functions(let names): try self.init(of: image, binding: names)
        }
    }

    /// Checks the library of a plugin with an entry function. Throws when the file is not a library; the missing note
    /// of such a file is not reported.
    init(of image: ElfImage) throws(PluginBinaryProblem.Kind) {
        let symbols = try image.exportedSymbols().ours()
        var problems: [PluginBinaryProblem.Kind] = []
        var note: BinaryNote?
        do throws(PluginBinaryProblem.Kind) {
            note = try image.note()
            if let problem = Self.problem(with: note) { problems.append(problem) }
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
        self.note = note
        self.problems = problems
    }

    private static func problem(with note: BinaryNote?) -> PluginBinaryProblem.Kind? {
        guard let note else { return .noNote }
        if note.major > HostABI.major { return .newerMajor(note.major) }
        if note.major < HostABI.major { return .olderMajor(note.major) }
        if note.requiredMinor > HostABI.minor {
            return .newerMinor(required: note.requiredMinor, offered: HostABI.minor)
        }
        return nil
    }

    private static func problems(
        withExports symbols: [ElfSymbols.Symbol],
        of image: ElfImage
    ) throws(PluginBinaryProblem.Kind) -> [PluginBinaryProblem.Kind] {
        let exports = symbols.filter(\.isExported)
        let others = exports.filter { $0.name != PluginBinary.entryName }.map {
            PluginBinaryProblem.Kind.foreignExport($0.name)
        }
        guard let entry = exports.first(where: { $0.name == PluginBinary.entryName }) else {
            let inside = try image.privateSymbols()?.ours() ?? []
            let isHidden = inside.contains { $0.name == PluginBinary.entryName && $0.isDefined }
            return [isHidden ? .entryHidden : .entryMissing] + others
        }
        return (entry.isFunction ? [] : [.entryNotAFunction]) + others
    }
}
