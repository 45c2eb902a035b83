// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension ConditionsReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add(self)
        return fields.text
    }
}

extension FieldList {
    mutating func add(_ conditions: ConditionsReply) {
        for condition in Condition.allCases { add(condition.title, conditions[condition].words) }
        let locks = (conditions.lockedContainers ?? [:]).sorted { $0.key < $1.key }
        add(
            "locked",
            each: locks.filter { $0.value.holds != false }.map { plugin, state in
                "container of \(plugin): \(state.holds == nil ? "unknown, " : "")\(state.origin)"
            }
        )
    }
}

extension ConditionsReply.State {
    /// The value of the condition and its origin, as `yes (sensor /sys/class/power_supply: AC is online)`.
    fileprivate var words: String { "\(holds.map { $0 ? "yes" : "no" } ?? "unknown") (\(origin))" }

    fileprivate var origin: String {
        switch source {
        case .unwatched: "not sampled: no work waits for it"
        case .missing: "not measured" + (detail.map { ": \($0)" } ?? "")
        case .configuration, .simulated, .sensor: detail.map { "\(source.rawValue) \($0)" } ?? source.rawValue
        }
    }
}
