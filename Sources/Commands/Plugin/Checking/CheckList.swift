// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import TerminalText

/// The list of all checks of `plugin check`, printed with `--list`.
struct CheckList: Presentable {
    struct Item: Encodable {
        let check: String
        let rule: String
        let promise: String
    }

    let level = 0
    let checks = PluginCheck.allCases.map { Item(check: $0.rawValue, rule: $0.rule, promise: $0.promise) }

    func text(for reader: Reader) -> String {
        var table = Table("CHECK", "RULE", "WHAT IT PROVES")
        for item in checks { table.add(item.check, item.rule, item.promise) }
        return table.text
    }
}
