// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A value from a file with its position, so that a later check can refer to it.
package struct Field<Value> {
    package let value: Value
    /// The path of the field's key, such as `permitted-identifiers[2]`.
    package let key: String
    package let position: TextPosition?

    package init(_ value: Value, key: String, position: TextPosition?) {
        self.value = value
        self.key = key
        self.position = position
    }

    package func map<Other>(_ transform: (Value) -> Other) -> Field<Other> {
        Field<Other>(transform(value), key: key, position: position)
    }
}

extension Field: Sendable where Value: Sendable {}
extension Field: Equatable where Value: Equatable {}
extension Field: Hashable where Value: Hashable {}
