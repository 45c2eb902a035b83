// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An event of `SystemConditions`. Events arrive one at a time.
package enum ConditionsEvent: Hashable, Sendable {
    /// A condition or a container lock changed. A change of the evidence alone is no event.
    case changed(ConditionsReport)
    /// The machine resumed after a suspension of this length. Changes that the resumption reveals arrive after this
    /// event.
    case resumed(after: Duration)
}

/// A failure to start the sensors.
package struct ConditionsError: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}
