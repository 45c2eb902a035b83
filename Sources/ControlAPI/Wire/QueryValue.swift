// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Reads single values of a query, and refuses by name what breaks its rule.
enum QueryValue {
    static func whole<Value: FixedWidthInteger>(
        _ text: String?,
        named name: String,
        in range: ClosedRange<Value>
    ) throws(ControlRefusal) -> Value? {
        guard let text else { return nil }
        guard let value = Value(text), range.contains(value) else {
            let rule = "write a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw .malformed("query-invalid", "query \(name)=\(text) is not allowed; \(rule)")
        }
        return value
    }

    static func boolean(_ text: String?, named name: String) throws(ControlRefusal) -> Bool? {
        guard let text else { return nil }
        guard let value = Bool(text) else {
            throw .malformed("query-invalid", "query \(name)=\(text) is not allowed; write true or false")
        }
        return value
    }
}
