// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Settlement of task identifiers: each identifier has one owner.
extension CatalogueSettlement {
    /// Refuses main plugins that permit an identifier of another plugin. The identifier stays with the plugin that
    /// owned it before; otherwise it goes to a plugin that was catalogued before; otherwise to the first by file name.
    mutating func settleTaskIdentifiers() {
        let rivals = rivals()
        if rivals.isEmpty { return }
        var contest = TaskIdentifierContest(rivals, known: known)
        for defeat in contest.defeats() {
            let (line, winningLine) = (defeat.line.value, defeat.winningLine.value)
            let conflict =
                line == winningLine
                ? "which belongs to the plugin \"\(defeat.winner.identifier)\""
                : "which overlaps with \"\(winningLine)\" of the plugin \"\(defeat.winner.identifier)\""
            refuse(
                defeat.loser,
                .taskIdentifierTaken,
                at: defeat.line,
                "permits \"\(line)\", \(conflict) (\(defeat.winner.file))",
                remedy: "rename the identifier in one of the two manifests, or remove one of the two plugins"
            )
        }
        dropRefused()
    }

    /// The main plugins with an identifier that another main plugin permits as well. Most installations have none, and
    /// skip the detailed comparison.
    private func rivals() -> [CatalogueCandidate] {
        var owners: [PermittedIdentifier: Int] = [:]
        var patterns: [String: [Int]] = [:]
        var rivals: Set<Int> = []
        let mains = kept.indices.filter { kept[$0].manifest.role == .main }
        for main in mains {
            for field in kept[main].manifest.permitted {
                let owner = owners[field.value] ?? main
                owners[field.value] = owner
                if owner != main { rivals.formUnion([owner, main]) }
                if case .pattern(let prefix) = field.value { patterns[prefix.text, default: []].append(main) }
            }
        }
        let lengths = Set(patterns.keys.map(\.utf8.count))
        for main in patterns.isEmpty ? [] : mains {
            for field in kept[main].manifest.permitted {
                let wider = field.value.widerPrefixes(where: lengths.contains).flatMap { patterns[$0] ?? [] }.filter {
                    $0 != main
                }
                if !wider.isEmpty { rivals.formUnion(wider + [main]) }
            }
        }
        return rivals.sorted().map { kept[$0] }
    }
}
