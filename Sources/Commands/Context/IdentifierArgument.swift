// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import TaskModel

/// Parses identifiers and launch numbers from the command line. The thrown error names the violated rule.
enum IdentifierArgument {
    static func task(_ text: String) throws -> TaskIdentifier {
        guard let identifier = TaskIdentifier(text) else { throw problem(TaskIdentifier.flaw(in: text)) }
        return identifier
    }

    static func plugin(_ text: String) throws -> PluginIdentifier {
        guard let identifier = PluginIdentifier(text) else { throw problem(ReverseDNSName.flaw(in: text)) }
        return identifier
    }

    static func launch(_ text: String) throws -> LaunchNumber {
        guard let number = Int64(text), number > 0 else {
            throw ValidationError("the number of a launch is a whole number from 1; see \"bgtask launch list\"")
        }
        return LaunchNumber(rawValue: number)
    }

    private static func problem(_ flaw: ReverseDNSName.Flaw?) -> ValidationError {
        ValidationError("it \((flaw ?? .unknown).text)")
    }
}
