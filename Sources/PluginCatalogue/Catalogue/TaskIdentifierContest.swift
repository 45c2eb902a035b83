// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// The conflicts between main plugins whose manifests permit the same identifiers, and their decision. It reads no
/// files.
///
/// The cost grows with the number of manifest lines, not of conflicts: a thousand copies of one manifest have half a
/// million conflicts.
struct TaskIdentifierContest {
    /// A line of a manifest that permits an identifier or a pattern.
    private struct Claim {
        let owner: Int
        let field: Field<PermittedIdentifier>
        /// Whether the owner was in the catalogue of the previous load, with the same identifier or pattern in its
        /// manifest.
        let isHeld: Bool
    }

    /// A decided conflict between lines of two manifests that permit a common identifier. The plugin of the losing line
    /// is refused.
    struct Defeat {
        let loser: CatalogueCandidate
        let line: Field<PermittedIdentifier>
        let winner: CatalogueCandidate
        let winningLine: Field<PermittedIdentifier>
    }

    /// The candidates in order of decreasing precedence. This order decides a conflict of two lines when the previous
    /// load catalogued both plugins with these lines, or neither.
    private let candidates: [CatalogueCandidate]
    private var claims: [Claim] = []
    private var claimsByOwner: [[Int]] = []
    private var exact: [String: [Int]] = [:]
    /// Indices of claims with a pattern, by the prefix of the pattern.
    private var patterns: [String: [Int]] = [:]
    /// Indices of claims that a pattern may cover, by the pattern's prefix.
    private var covered: [String: [Int]] = [:]
    private var isDecided: [Bool]

    init(_ candidates: [CatalogueCandidate], known: [PluginIdentifier: KnownPlugin]) {
        self.candidates = candidates.sorted { left, right in
            let (leftKnown, rightKnown) = (known[left.identifier] != nil, known[right.identifier] != nil)
            return leftKnown == rightKnown ? left.comesBefore(right) : leftKnown
        }
        isDecided = Array(repeating: false, count: candidates.count)
        for (owner, candidate) in self.candidates.enumerated() {
            let held = known[candidate.identifier]?.permitted ?? []
            let lines = candidate.manifest.permitted
            claimsByOwner.append(Array(claims.count..<claims.count + lines.count))
            for line in lines {
                switch line.value {
                case .exact: exact[line.value.name, default: []].append(claims.count)
                case .pattern: patterns[line.value.name, default: []].append(claims.count)
                }
                claims.append(Claim(owner: owner, field: line, isHeld: held.contains(line.value)))
            }
        }
        for (index, claim) in claims.enumerated() {
            for prefix in claim.field.value.widerPrefixes where patterns[prefix] != nil {
                covered[prefix, default: []].append(index)
            }
        }
    }

    /// Decides all conflicts, and returns the defeats. When the previous load catalogued only one of the two plugins
    /// with its conflicting line, that plugin wins. Otherwise the plugin that comes first in `candidates` wins. A
    /// plugin that has lost a conflict defeats no other; when plugins defeat each other in a cycle, the first in
    /// `candidates` wins.
    mutating func defeats() -> [Defeat] {
        var defeats: [Defeat] = []
        var start = 0
        while let first = (start..<candidates.count).first(where: { !isDecided[$0] }) {
            start = first
            // A plugin that no undecided one beats. Plugins that beat each other in a cycle are taken in order.
            let winner = (first..<candidates.count).first { !isDecided[$0] && !isBeaten($0) } ?? first
            isDecided[winner] = true
            for claim in claimsByOwner[winner] {
                for rival in rivals(of: claim) where !isDecided[claims[rival].owner] {
                    isDecided[claims[rival].owner] = true
                    defeats.append(
                        Defeat(
                            loser: candidates[claims[rival].owner],
                            line: claims[rival].field,
                            winner: candidates[winner],
                            winningLine: claims[claim].field
                        )
                    )
                }
            }
        }
        return defeats
    }

    private func isBeaten(_ owner: Int) -> Bool {
        claimsByOwner[owner].contains { claim in
            rivals(of: claim).contains { rival in
                let other = claims[rival]
                guard !isDecided[other.owner], other.owner != owner else { return false }
                return other.isHeld == claims[claim].isHeld ? other.owner < owner : other.isHeld
            }
        }
    }

    /// The claims that permit a common identifier with `claim`, including claims of the same owner.
    private func rivals(of claim: Int) -> some Sequence<Int> {
        let line = claims[claim].field.value
        let groups =
            switch line {
            case .exact: [exact[line.name]]
            case .pattern: [patterns[line.name], covered[line.name]]
            }
        return (groups + line.widerPrefixes.map { patterns[$0] }).compactMap(\.self).joined()
    }
}

extension PermittedIdentifier {
    /// The identifier, or the prefix of the pattern.
    var name: String {
        switch self {
        case .exact(let identifier): identifier.text
        case .pattern(let prefix): prefix.text
        }
    }

    /// The possible prefixes of wider patterns that cover the name, shortest first: `a` and `a.b` for `a.b.c`.
    var widerPrefixes: [String] { widerPrefixes { _ in true } }

    /// The prefixes that wider patterns can have, as far as `hasLength` accepts their length in bytes.
    func widerPrefixes(where hasLength: (Int) -> Bool) -> [String] {
        let name = name
        return name.utf8.indices.filter { index in
            name.utf8[index] == UInt8(ascii: ".") && hasLength(name.utf8.distance(from: name.startIndex, to: index))
        }.map { String(name[..<$0]) }
    }
}
