// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A value that all copies of its owner share: a copy of the owner counts one reference, instead of each reference
/// within the value.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
