// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

// Checks of a library whose functions a manifest binds.
extension BinaryJudgement {
    init(of image: ElfImage, binding names: [String]) throws(PluginBinaryProblem.Kind) {
        let symbols = try image.exportedSymbols()
        var problems: [PluginBinaryProblem.Kind] = []
        if try !image.bgtaskNotes().isEmpty { problems.append(.noteBesideHandlers) }
        if try symbols.ours().contains(where: { $0.name == PluginBinary.entryName && $0.isExported }) {
            problems.append(.entryBesideHandlers)
        }
        for name in names {
            guard let problem = try Self.problem(with: name, among: symbols, of: image),
                !problems.contains(problem)
            else { continue }
            problems.append(problem)
        }
        problems += try image.searchPathProblems()
        problems += try image.dynamicTable().problems
        self.init(notes: BinaryNotes(), problems: problems)
    }

    private static func problem(
        with name: String,
        among symbols: ElfSymbols,
        of image: ElfImage
    ) throws(PluginBinaryProblem.Kind) -> PluginBinaryProblem.Kind? {
        let found = try symbols.named(name)
        if let symbol = found.first(where: { $0.isExported && !$0.isOutdated }) {
            return symbol.isCallable ? nil : .symbolNotAFunction(name)
        }
        if found.contains(where: \.isExported) { return .symbolOutdated(name) }
        if try image.privateSymbols()?.named(name).contains(where: \.isDefined) ?? false { return .symbolHidden(name) }
        let functions = try symbols.all().filter { $0.isExported && $0.isCallable && !$0.isOutdated }.map(\.name)
        return .symbolMissing(name, nearest: NearestWord.to(name, among: functions))
    }
}
