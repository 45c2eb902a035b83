// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

/// One owner per task identifier.
extension CatalogSettlement {
    /// One plugin's line that permits what another plugin's line permits as well.
    private struct Claim {
        let owner: CatalogCandidate
        let field: Field<PermittedIdentifier>
    }

    private struct Conflict {
        let winner: Claim
        let loser: Claim
    }

    /// Of main plugins that permit the same identifier the one stays that had it, then one that was catalogued, then
    /// the first file name.
    mutating func settleTaskIdentifiers() {
        let conflicts = conflicts(among: rivals())
        if conflicts.isEmpty { return }
        defer { dropRefused() }
        let involved = Set(conflicts.flatMap { [$0.winner.owner.file, $0.loser.owner.file] })
        var undecided = kept.filter { involved.contains($0.file) }.sorted(by: staysBefore)
        while let first = undecided.first {
            // One that nobody undecided beats. Several that beat each other in a circle are taken in order.
            let files = Set(undecided.map(\.file))
            let winner =
                undecided.first { main in
                    !conflicts.contains { $0.loser.owner.file == main.file && files.contains($0.winner.owner.file) }
                } ?? first
            undecided.removeAll { $0.file == winner.file }
            for conflict in conflicts {
                let (mine, other) =
                    conflict.winner.owner.file == winner.file
                    ? (conflict.winner, conflict.loser) : (conflict.loser, conflict.winner)
                guard mine.owner.file == winner.file, undecided.contains(where: { $0.file == other.owner.file }) else {
                    continue
                }
                undecided.removeAll { $0.file == other.owner.file }
                refuse(
                    other.owner,
                    .taskIdentifierTaken,
                    at: other.field,
                    "permits \"\(other.field.value)\", which belongs to the plugin \"\(winner.identifier)\" "
                        + "(\"\(mine.field.value)\" in \(winner.file))",
                    remedy: "rename the identifier, or remove one of the two plugins"
                )
            }
        }
    }

    /// The main plugins with an identifier that another one permits as well, by file. Most installations have none, and the
    /// pairwise comparison is left out.
    private func rivals() -> [CatalogCandidate] {
        var owners: [PermittedIdentifier: Int] = [:]
        var patterns: [String: [Int]] = [:]
        var rivals: Set<Int> = []
        let mains = kept.indices.filter { kept[$0].manifest.role == .main }
        owners.reserveCapacity(mains.count)
        for main in mains {
            for field in kept[main].manifest.permitted {
                let owner = owners[field.value] ?? main
                owners[field.value] = owner
                if owner != main { rivals.formUnion([owner, main]) }
                if case .pattern(let prefix) = field.value { patterns[prefix.text, default: []].append(main) }
            }
        }
        if patterns.isEmpty { return rivals.sorted().map { kept[$0] } }
        for main in mains {
            for field in kept[main].manifest.permitted {
                let wider = prefixes(of: field.value.name).flatMap { patterns[$0] ?? [] }.filter { $0 != main }
                if !wider.isEmpty { rivals.formUnion(wider + [main]) }
            }
        }
        return rivals.sorted().map { kept[$0] }
    }

    private func conflicts(among rivals: [CatalogCandidate]) -> [Conflict] {
        var exact: [String: [Claim]] = [:]
        var patterns: [String: [Claim]] = [:]
        var claims: [Claim] = []
        for main in rivals {
            for field in main.manifest.permitted {
                let claim = Claim(owner: main, field: field)
                claims.append(claim)
                switch field.value {
                case .exact(let name): exact[name.text, default: []].append(claim)
                case .pattern(let prefix): patterns[prefix.text, default: []].append(claim)
                }
            }
        }
        return claims.flatMap { claim in
            let name = claim.field.value.name
            let equals =
                switch claim.field.value {
                case .exact: exact[name]
                case .pattern: patterns[name]
                }
            // Each pair of equal lines once; a wider pattern only from the narrower line's side.
            let rivals = (equals ?? []).filter { $0.owner.file > claim.owner.file }
            let wider = prefixes(of: name).flatMap { patterns[$0] ?? [] }.filter { $0.owner.file != claim.owner.file }
            return (rivals + wider).map { conflict(claim, $0) }
        }
    }

    /// `a.b` and `a` of `a.b.c`.
    private func prefixes(of name: String) -> [String] {
        name.indices.filter { name[$0] == "." }.map { String(name[..<$0]) }
    }

    private func conflict(_ left: Claim, _ right: Claim) -> Conflict {
        let leftHeld = held(left)
        let leftStays = leftHeld == held(right) ? staysBefore(left.owner, right.owner) : leftHeld
        return leftStays ? Conflict(winner: left, loser: right) : Conflict(winner: right, loser: left)
    }

    private func held(_ claim: Claim) -> Bool {
        known[claim.owner.identifier]?.permitted.contains(claim.field.value) ?? false
    }

    private func staysBefore(_ left: CatalogCandidate, _ right: CatalogCandidate) -> Bool {
        let leftKnown = known[left.identifier] != nil
        let rightKnown = known[right.identifier] != nil
        return leftKnown == rightKnown ? left.comesBefore(right) : leftKnown
    }
}

extension PermittedIdentifier {
    /// The identifier, or the prefix of the pattern.
    fileprivate var name: String {
        switch self {
        case .exact(let identifier): identifier.text
        case .pattern(let prefix): prefix.text
        }
    }
}
