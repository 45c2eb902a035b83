// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An immutable value that all copies of its owner share. A copy of the owner retains this one object, instead of every
/// object to which the value refers.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
