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

    /// The number of a transfer, also from the identifier of its task, which `why` and the journal print.
    static func transfer(_ text: String) throws -> SubmissionNumber {
        if let number = TaskIdentifier(text)?.transfer?.number { return number }
        guard let number = Int64(text), number > 0 else {
            throw ValidationError("the number of a transfer is a whole number from 1; see \"bgtask transfer list\"")
        }
        return SubmissionNumber(rawValue: number)
    }

    static func session(_ text: String) throws -> TransferSession {
        guard let session = TransferSession(text) else {
            throw ValidationError("the name of a session has \(TransferSession.rule)")
        }
        return session
    }

    private static func problem(_ flaw: ReverseDNSName.Flaw?) -> ValidationError {
        ValidationError("it \((flaw ?? .unknown).text)")
    }
}
