// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

// Signatures of bound functions: argument kinds as plain words, or as a key with one value.
extension DiagnosingMapping {
    private typealias Kind = FunctionArgument.Kind

    /// The arguments of a function. Nil when the key is missing, or when the list or one argument was reported as
    /// invalid: without it the positions of the other arguments would be wrong.
    func arguments(_ name: String) -> Field<[Field<FunctionArgument>]>? {
        node(name).flatMap { field in
            guard case .list(let items) = field.value.content else {
                return mismatch(field, expected: "a list", remedy: "write [ { string: /var/log }, cancel-flag ]")
            }
            let arguments = items.enumerated().map { index, item in
                argument(Field(item, key: "\(field.key)[\(index)]", position: item.position))
            }
            let read = arguments.compactMap(\.self)
            return read.count == arguments.count ? at(field, read) : nil
        }
    }

    private func argument(_ field: Field<YAMLNode>) -> Field<FunctionArgument>? {
        guard
            let word = word(
                field,
                Kind.self,
                expected: "an argument",
                example: "one argument for each list item, such as { int64: 5 } or cancel-flag"
            )
        else { return nil }
        guard let value = word.value else {
            if let argument = word.kind.argument { return at(field, argument) }
            problems.report(
                .handlerArguments,
                at: at(field, ()),
                "is \(word.kind.rawValue) without its value",
                remedy: "write { \(word.kind.rawValue): \(word.kind.example ?? "value") }"
            )
            return nil
        }
        guard case .text(let text, let isQuoted) = value.value.content, !value.value.isNothing else {
            return mismatch(
                value,
                expected: "a single value",
                remedy: word.kind.example.map { "write it as \($0)" } ?? "write only \(word.kind.rawValue)"
            )
        }
        do throws(DirectFlaw) {
            if isQuoted, word.kind.isNumber {
                throw DirectFlaw(rule: "which is a text, because it is in quotes", remedy: "write it without quotes")
            }
            return at(value, try word.kind.argument(text))
        } catch {
            problems.report(
                .handlerArguments,
                at: at(value, ()),
                "is \(text.inQuotes), \(error.rule)",
                remedy: error.remedy
            )
            return nil
        }
    }

    func result(_ name: String) -> FunctionResult? {
        guard let field = node(name),
            let word = word(
                field,
                FunctionResult.Kind.self,
                expected: "a result",
                example: "void or { int32: success-when-zero }"
            )
        else { return nil }
        let rules = word.kind.rules
        guard let value = word.value else {
            if let result = FunctionResult(word.kind, rule: nil) { return result }
            problems.report(
                .handlerReturns,
                at: at(field, ()),
                "is \(word.kind.rawValue) without its rule for success",
                remedy: rules.count == 1
                    ? "write { \(word.kind.rawValue): \(rules[0]) }"
                    : "write { \(word.kind.rawValue): RULE } with one of \(rules.joined(separator: ", "))"
            )
            return nil
        }
        guard case .text(let rule, _) = value.value.content else {
            let _: Field<Void>? = mismatch(
                value,
                expected: "a rule",
                remedy: rules.isEmpty
                    ? "write only \(word.kind.rawValue)" : "write one of \(rules.joined(separator: ", "))"
            )
            return nil
        }
        if let result = FunctionResult(word.kind, rule: rule) { return result }
        problems.report(
            .handlerReturns,
            at: at(value, ()),
            rules.isEmpty
                ? "is \(rule.inQuotes), but \(word.kind.rawValue) takes no success rule"
                : "is \(rule.inQuotes), which is not a success rule of \(word.kind.rawValue)",
            remedy: rules.isEmpty ? "write only \(word.kind.rawValue)" : NearestWord.remedy(for: rule, among: rules)
        )
        return nil
    }

    /// Reads a value that is a keyword alone, or a mapping whose only key is a keyword. For any other value, reports a
    /// problem and returns nil.
    private func word<Word: RawRepresentable<String> & CaseIterable>(
        _ field: Field<YAMLNode>,
        _ type: Word.Type,
        expected: String,
        example: String
    ) -> (kind: Word, value: Field<YAMLNode>?)? {
        let written: Field<String>
        var value: Field<YAMLNode>?
        switch field.value.content {
        // `null` counts as no value elsewhere; here it is an argument kind.
        case .text(let text, _) where !field.value.isNothing || text == "null": written = at(field, text)
        case .mapping(let entries) where entries.count == 1:
            written = Field(entries[0].key, key: field.key, position: entries[0].position)
            value = Field(entries[0].value, key: "\(field.key).\(entries[0].key)", position: entries[0].position)
        default:
            let _: Field<Void>? = mismatch(field, expected: expected, remedy: "write \(example)")
            return nil
        }
        if let word = Word(rawValue: written.value) { return (word, value) }
        problems.report(written, notAmong: Word.allCases.map(\.rawValue))
        return nil
    }
}
