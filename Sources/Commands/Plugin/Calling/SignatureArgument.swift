// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import TaskModel

/// Parses values from the command line: the arguments and the result of a signature in the notation `kind` or
/// `kind:value`, settings, files of secrets, and times.
enum SignatureArgument {
    static func argument(_ text: String) throws -> FunctionArgument {
        let (word, value) = parts(of: text)
        let kinds = FunctionArgument.Kind.allCases
        guard let kind = FunctionArgument.Kind(rawValue: word) else {
            throw ValidationError(
                "\(text.inQuotes) does not begin with one of \(kinds.map(\.rawValue).joined(separator: ", "));"
                    + " \(NearestWord.remedy(for: word, amongListed: kinds.map(\.rawValue)))"
            )
        }
        guard let value else {
            if let argument = kind.argument { return argument }
            throw ValidationError("\(word) has no value; write \(word):\(kind.example ?? "value")")
        }
        do throws(DirectFlaw) {
            return try kind.argument(value)
        } catch {
            throw ValidationError("the value \(value.inQuotes) of \(text.inQuotes) is \(error.rule); \(error.remedy)")
        }
    }

    static func result(_ text: String) throws -> FunctionResult {
        let (word, rule) = parts(of: text)
        let kinds = FunctionResult.Kind.allCases
        guard let kind = FunctionResult.Kind(rawValue: word) else {
            let nearest = NearestWord.to(word, among: kinds.map(\.rawValue)).flatMap(FunctionResult.Kind.init)
            let remedy = nearest.map { "write \($0.example.inQuotes)" } ?? "write one of these"
            let examples = kinds.map(\.example).joined(separator: ", ")
            throw ValidationError("\(word.inQuotes) is not a kind of result, as in \(examples); \(remedy)")
        }
        if let result = FunctionResult(kind, rule: rule) { return result }
        guard let rule, !kind.rules.isEmpty else {
            let remedy = kind.rules.first.map { "write \(word):\($0)" } ?? "write only \(word)"
            let flaw = kind.rules.isEmpty ? "has a rule, which \(word) does not take" : "has no rule for success"
            throw ValidationError("the result \(text.inQuotes) \(flaw); \(remedy)")
        }
        let remedy = NearestWord.remedy(for: rule, among: kind.rules)
        throw ValidationError("\(rule.inQuotes) is not a success rule of the result \(word); \(remedy)")
    }

    static func setting(_ text: String) throws -> (key: String, value: String) {
        guard let given = pair(in: text) else {
            throw ValidationError("\(text.inQuotes) is not a key with a value; write KEY=VALUE")
        }
        return given
    }

    static func kind(_ text: String) throws -> (key: String, value: String) {
        guard let given = pair(in: text) else {
            throw ValidationError("\(text.inQuotes) is not an identifier with a kind; write IDENTIFIER=KIND")
        }
        return given
    }

    static func secret(_ text: String) throws -> (key: String, value: String) {
        guard let given = pair(in: text) else {
            throw ValidationError("\(text.inQuotes) is not a key with a file; write KEY=FILE")
        }
        return given
    }

    private static func pair(in text: String) -> (key: String, value: String)? {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    static func time(_ text: String) throws -> Duration {
        if let time = DurationText.duration(text[...]), time > .zero { return time }
        let remedy =
            DurationText.correction(of: text[...]).map { "write \($0)" }
            ?? "write it like 30s or 1min (\(DurationText.units))"
        throw ValidationError("\(text.inQuotes) is not a duration above zero; \(remedy)")
    }

    private static func parts(of text: String) -> (word: String, value: String?) {
        guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

extension FunctionResult.Kind {
    /// A valid value of this kind for the command line, for messages: `kind:rule` with the first rule for success, or
    /// only the kind when it takes no rule.
    fileprivate var example: String { rules.first.map { "\(rawValue):\($0)" } ?? rawValue }
}
