// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostDoctor
import TerminalText

extension HostCheckReply: Presentable {
    func text(for reader: Reader) -> String {
        var table = Table("VERDICT", "SUBJECT", "FINDING")
        for finding in findings { table.add(finding.verdict.rawValue, finding.subject.rawValue, finding.message) }
        return table.text
    }
}
