// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import TaskModel

/// The subject of `bgtask logs`: a launch by its number, or a task or plugin by its identifier. The host decides
/// whether an identifier names a plugin.
enum LogSubject {
    case launch(LaunchNumber)
    case identifier(TaskIdentifier)

    init(argument text: String) throws {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        self =
            isNumber
            ? .launch(try IdentifierArgument.launch(text)) : .identifier(try IdentifierArgument.task(text))
    }

    var launch: LaunchNumber? { if case .launch(let number) = self { number } else { nil } }
    var identifier: TaskIdentifier? { if case .identifier(let identifier) = self { identifier } else { nil } }
}
