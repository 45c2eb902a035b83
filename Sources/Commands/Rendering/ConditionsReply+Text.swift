// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension ConditionsReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add(self)
        return fields.text
    }
}

extension FieldList {
    mutating func add(_ conditions: ConditionsReply) {
        add("external power", conditions.externalPower.words)
        add("network", conditions.network.words)
    }
}

extension ConditionsReply.Condition {
    /// `yes (configuration)`
    fileprivate var words: String { "\(holds ? "yes" : "no") (\(source.rawValue))" }
}
