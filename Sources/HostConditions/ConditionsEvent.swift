// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What `SystemConditions` tells, one at a time.
package enum ConditionsEvent: Hashable, Sendable {
    /// Something is judged differently from before. What it was judged from changes more often, and silently.
    case changed(ConditionsReport)
    /// The machine was suspended for so long, and goes on. What changed meanwhile is told after this.
    case resumed(after: Duration)
}

/// Conditions that cannot be watched at all.
package struct ConditionsError: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}
