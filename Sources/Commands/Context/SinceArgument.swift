// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel
import TerminalText

/// Parses the `--since` of several commands. The thrown error names the rule.
enum SinceArgument {
    static func instant(_ text: String) throws -> WallTime {
        if let time = SinceTime.instant(text, now: CommandContext.current.reader.now) { return time }
        throw ValidationError("\"\(text)\" is not a time; \(SinceTime.remedy(for: text))")
    }
}
