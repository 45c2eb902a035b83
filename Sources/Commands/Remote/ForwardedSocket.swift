// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The path of a socket in an argument of `ssh -L`. In such an argument `ssh` separates fields at colons, and expands
/// variables of this machine's environment and tokens that begin with `%`: another machine names a path only.
struct ForwardedSocket: Hashable {
    /// The paths that `ssh` can forward, for messages.
    static let rule = "an absolute path without colons, dollar signs, backslashes and control characters"

    /// The path as a field of the argument.
    let field: String

    /// Creates the field of a path; nil when `ssh` would read another path.
    init?(_ path: String) {
        let isRead = path.unicodeScalars.allSatisfy { character in
            character.properties.generalCategory != .control && !#":$\"#.unicodeScalars.contains(character)
        }
        guard path.hasPrefix("/"), isRead else { return nil }
        field = path.unicodeScalars.reduce(into: "") { $0 += $1 == "%" ? "%%" : String($1) }
    }
}
