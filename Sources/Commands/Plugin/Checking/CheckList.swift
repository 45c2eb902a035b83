// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import PluginConformance
import TerminalText

/// The checks of `plugin check` up to a level. `--list` prints them.
struct CheckList: Presentable {
    struct Item: Encodable {
        let check: String
        let level: Int
        let rule: String
        let promise: String
    }

    let level: Int
    let checks: [Item]

    /// Creates the list of the checks up to a level.
    init(level: Int) {
        self.level = level
        let ofFiles = PluginCheck.allCases.map {
            Item(check: $0.rawValue, level: 0, rule: $0.rule, promise: $0.promise)
        }
        let ofTrials = ConformanceCheck.all.filter { $0.level <= level }.map {
            Item(check: $0.name, level: $0.level, rule: $0.rule.name, promise: $0.promise)
        }
        checks = ofFiles + ofTrials
    }

    /// The names of the checks in the list.
    var names: [String] { checks.map(\.check) }

    func text(for reader: Reader) -> String {
        var table = Table("CHECK", "LEVEL", "RULE", "PROMISE")
        for item in checks { table.add(item.check, "\(item.level)", item.rule, item.promise) }
        return table.text
    }
}
