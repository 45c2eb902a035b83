// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A JSON key of the conditions: the key of a condition, or the key of the locked containers.
struct ConditionKey: CodingKey {
    static let lockedContainers = Self(stringValue: "locked_containers")

    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    init(_ condition: Condition) { stringValue = condition.key }
}
