// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a sensor says of one condition: judged, with what it was judged from.
package enum ConditionReading: Hashable, Sendable {
    /// - Parameters:
    ///   - from: the path, or whatever else was asked.
    ///   - detail: what was found there, in words for a person.
    case measured(Bool, from: String, detail: String)
    /// Nothing on this machine can tell; why, and that is all that is said: it is not guessed.
    case missing(String)
    /// Not looked at, since nobody waits for it.
    case unwatched

    /// What a decision goes by. What nobody can tell, or did not look at, is not claimed.
    package var holds: Bool {
        switch self {
        case .measured(let holds, _, _): holds
        case .missing, .unwatched: false
        }
    }
}
