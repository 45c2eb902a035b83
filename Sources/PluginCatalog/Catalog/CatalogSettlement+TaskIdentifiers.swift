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
        let conflicts = conflicts()
        if conflicts.isEmpty { return }
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

    private func conflicts() -> [Conflict] {
        var exact: [String: [Claim]] = [:]
        var patterns: [String: [Claim]] = [:]
        var claims: [Claim] = []
        for main in kept where main.manifest.role == .main {
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
            let equals: [Claim]?
            let name: String
            switch claim.field.value {
            case .exact(let identifier): (equals, name) = (exact[identifier.text], identifier.text)
            case .pattern(let prefix): (equals, name) = (patterns[prefix.text], prefix.text)
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
