// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A sensor's reading of one condition: its value and the evidence.
package enum ConditionReading: Hashable, Sendable {
    /// - Parameters:
    ///   - from: path of the file, or another source.
    ///   - detail: the evidence, as text for users.
    case measured(Bool, from: String, detail: String)
    /// No source on this machine provides the condition; the text gives the cause. The value is not guessed.
    case missing(String)
    /// Not sampled, because no pending decision depends on it.
    case unwatched

    /// The value for decisions. A missing or unwatched condition does not hold.
    package var holds: Bool {
        switch self {
        case .measured(let holds, _, _): holds
        case .missing, .unwatched: false
        }
    }
}
