// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A sensor's reading of one condition: the measured value with its evidence, or the cause that there is no value.
package enum ConditionReading: Hashable, Sendable {
    /// A measured value.
    ///
    /// - Parameters:
    ///   - from: path of the file, or another source.
    ///   - detail: the evidence, for users.
    case measured(Bool, from: String, detail: String)
    /// No source on this machine provides the condition; the string gives the cause. The value is not guessed.
    case missing(String)
    /// No value: no pending decision depends on the condition, so it is not sampled, or its source has not answered
    /// yet.
    case unwatched

    /// The value for decisions: a missing or unwatched condition does not hold.
    package var holds: Bool {
        switch self {
        case .measured(let holds, _, _): holds
        case .missing, .unwatched: false
        }
    }
}
