// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// The options of commands that change everything that filters select.
struct BulkOptions: ParsableArguments {
    @Flag(help: "Change what the filters select without confirmation.")
    var yes = false

    @Flag(help: "Print what the filters select, and change nothing.")
    var dryRun = false

    /// Throws unless a command has either names or a selection. Names need no confirmation.
    func check(names: Bool, selection: Bool, thing: String) throws {
        if names, selection {
            throw ValidationError("names of a \(thing) and filters state different selections; give one of them")
        }
        if !names, !selection {
            throw ValidationError("no \(thing) is named; give the identifier of a \(thing), or select with filters")
        }
        if names, dryRun { throw ValidationError("--dry-run prints a selection by filters; leave it out with names") }
    }

    /// Prints the selection and asks for confirmation. Returns the rows to change: none for a dry run. Throws
    /// `NothingFound` for an empty selection.
    ///
    /// - Parameters:
    ///   - verb: the change, such as "cancel", for the question.
    ///   - nothing: the message for an empty selection.
    func confirmed<List: ListReply>(
        _ list: List,
        to verb: String,
        orFail nothing: String,
        output: OutputOptions
    ) throws -> [List.Row] {
        let (context, rows) = (CommandContext.current, list.rows)
        if rows.isEmpty { throw NothingFound(message: nothing) }
        if !output.json || dryRun {
            try context.write(
                output.json
                    ? String(decoding: WireCoding.encodeReadably(list), as: UTF8.self) + "\n"
                    : list.text(for: context.reader)
            )
        }
        if dryRun {
            context.writeMessage("\(verb): \(rows.count); nothing was changed")
            return []
        }
        if output.json, !yes {
            throw CommandFailure(
                .misuse,
                "nothing was changed: with --json the command asks no question",
                remedy: "give --yes to confirm the change"
            )
        }
        try Consent.ask("\(verb) \(rows.count == 1 ? "this" : "these \(rows.count)")?", isGiven: yes)
        return rows
    }
}

/// The result of one of several changes, as one line of JSON.
private struct BulkResult<Answer: Encodable>: Encodable {
    let identifier: String
    let answer: Answer?
    let error: ErrorReply.Body?
}

extension OutputOptions {
    /// Makes a change for each subject, and prints each answer: with the name of its subject, if there are several. A
    /// refused change does not prevent the other changes. Throws after the last change if any was refused.
    func show<Subject, Answer: Presentable>(
        _ subjects: [Subject],
        _ name: (Subject) -> String,
        _ change: (Subject) async throws -> Answer
    ) async throws {
        if subjects.count == 1 { return try show(try await change(subjects[0])) }
        var refused = 0
        for subject in subjects {
            do {
                try line(of: name(subject), answer: try await change(subject))
            } catch ControlError.refused(_, let reply) {
                refused += 1
                try line(of: name(subject), refusal: reply, as: Answer.self)
            }
        }
        if refused > 0 { throw CommandFailure(.refused, "refused: \(refused) of \(subjects.count)") }
    }

    private func line<Answer: Presentable>(of name: String, answer: Answer) throws {
        let context = CommandContext.current
        if json { return try write(BulkResult(identifier: name, answer: answer, error: nil)) }
        let text = answer.text(for: context.reader)
        try context.write(text.contains(name) ? text : "\(name.terminalSafe): \(text)")
    }

    private func line<Answer: Presentable>(of name: String, refusal: ErrorReply, as type: Answer.Type) throws {
        if json { return try write(BulkResult<Answer>(identifier: name, answer: nil, error: refusal.error)) }
        let remedy = refusal.error.remedy.map { "; remedy: \($0)" } ?? ""
        CommandContext.current.writeMessage("\(name): \(refusal.error.message)\(remedy)")
    }

    private func write(_ result: some Encodable) throws {
        try CommandContext.current.write(try ListOptions.line(result))
    }
}
