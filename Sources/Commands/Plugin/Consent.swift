// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Asks the user to confirm a change, unless `--yes` was given. Throws when the answer is no, or there is no terminal.
enum Consent {
    static func ask(_ question: String, isGiven: Bool) throws {
        if isGiven { return }
        guard let answer = try CommandContext.current.answer(to: "\(question) [y/N] ") else {
            throw CommandFailure(
                .misuse,
                "nothing was changed: the confirmation needs a terminal",
                remedy: "run the command in a terminal, or give --yes to confirm the change"
            )
        }
        if ["y", "yes"].contains(answer.lowercased()) { return }
        throw CommandFailure(.refused, "nothing was changed: the answer was neither y nor yes")
    }
}
