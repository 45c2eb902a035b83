// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel
internal import Yams

/// Parses the text of a YAML file into nodes. It reports syntax errors and values of refused types, and does not
/// interpret keys.
struct YAMLComposer {
    /// Maximum depth of nesting: far above the needs of every file, and far below the limit of the call stack.
    private static let deepestNesting = 64
    private static let mostDuplicates = 16

    private let text: String
    private let problems: ProblemCollector

    init(text: String, problems: ProblemCollector) {
        self.text = text
        self.problems = problems
    }

    /// Parses the text into the root node; nil when the file is empty or not valid YAML.
    func root() -> YAMLNode? {
        // The parser stops at the first repeated key. Such a key is made unique, so that the rest of the file is
        // checked as well.
        var disguises = KeyDisguises()
        while true {
            do {
                // A constructor without values, because the parser would build the tables of the default one otherwise.
                let parser = try Parser(
                    yaml: disguises.applied(to: text),
                    resolver: .basic,
                    constructor: Constructor([:], [:], [:]),
                    encoding: .utf8
                )
                guard let node = try parser.singleRoot() else { return nil }
                // Nodes reference their anchors weakly; the parser owns them.
                return withExtendedLifetime(parser) { converted(node, key: nil, depth: 0, disguises) }
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                let position = disguises.original(TextPosition(context.mark))
                if disguises.count < Self.mostDuplicates, disguises.add(at: position, in: text) { continue }
                problems.report(
                    .duplicateKey,
                    position: position,
                    "contains the key \((keys.first ?? "").inQuotes) more than once",
                    remedy: "remove all but one"
                )
                return nil
            } catch {
                report(error, disguises)
                return nil
            }
        }
    }

    // MARK: Nodes

    private func converted(_ node: Node, key: String?, depth: Int, _ disguises: KeyDisguises) -> YAMLNode {
        let position = node.mark.map { disguises.original(TextPosition($0)) }
        let refused = YAMLNode(content: .refused, position: position)
        if depth > Self.deepestNesting {
            problems.report(
                .tooDeep,
                key: key,
                position: position,
                "is nested more than \(Self.deepestNesting) levels deep",
                remedy: "remove inner lists and mappings"
            )
            return refused
        }
        if let anchor = node.anchor {
            // Every alias reaches this node again.
            if problems.problems.contains(where: { $0.rule == .noAliases && $0.position == position }) {
                return refused
            }
            problems.report(
                .noAliases,
                key: key,
                position: position,
                "contains the anchor \("&\(anchor.rawValue)".inQuotes); anchors and aliases are not accepted",
                remedy: "write the value out wherever it is needed, or put text that begins with & in quotes"
            )
            return refused
        }
        switch node {
        case .scalar(let scalar):
            let tag = scalar.tag
            check(tag, isOneOf: [.implicit, .nonSpecific, .str], key: key, position: position)
            if scalar.string.utf8.contains(0) {
                problems.report(
                    .wrongValue,
                    key: key,
                    position: position,
                    "contains the character NUL, which is not allowed in text",
                    remedy: "remove it"
                )
                return refused
            }
            let isQuoted = scalar.style != .plain || tag.rawValue == Tag.Name.str.rawValue
            return YAMLNode(content: .text(scalar.string, isQuoted: isQuoted), position: position)
        case .sequence(let sequence):
            check(sequence.tag, isOneOf: [.implicit, .nonSpecific, .seq], key: key, position: position)
            let items = sequence.enumerated().map { index, item in
                converted(item, key: "\(key ?? "")[\(index)]", depth: depth + 1, disguises)
            }
            return YAMLNode(content: .list(items), position: position)
        case .mapping(let mapping):
            check(mapping.tag, isOneOf: [.implicit, .nonSpecific, .map], key: key, position: position)
            return YAMLNode(
                content: .mapping(entries(of: mapping, key: key, depth: depth, disguises)),
                position: position
            )
        case .alias:
            return refused
        }
    }

    private func entries(
        of mapping: Node.Mapping,
        key: String?,
        depth: Int,
        _ disguises: KeyDisguises
    ) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var lines: [String: Int] = [:]
        for (name, value) in mapping {
            let position = name.mark.map { disguises.original(TextPosition($0)) }
            let written: String
            switch converted(name, key: key, depth: depth + 1, disguises).content {
            case .text(let text, _): written = text
            case .refused: continue
            case .list, .mapping:
                problems.report(
                    .wrongType,
                    key: key,
                    position: position,
                    "has a list or a mapping as a key",
                    remedy: "write keys as plain text"
                )
                continue
            }
            let text = disguises.undisguised(written)
            let path = key.map { "\($0).\(text)" } ?? text
            let node = converted(value, key: path, depth: depth + 1, disguises)
            if let line = lines[text] {
                problems.report(
                    .duplicateKey,
                    key: path,
                    position: position,
                    "is already on line \(line)",
                    remedy: "remove one of the two"
                )
            } else {
                lines[text] = position?.line ?? 0
                entries.append(YAMLEntry(key: text, position: position, value: node))
            }
        }
        return entries
    }

    private func check(_ tag: Tag, isOneOf accepted: [Tag.Name], key: String?, position: TextPosition?) {
        if accepted.contains(where: { $0.rawValue == tag.rawValue }) { return }
        let standard = "tag:yaml.org,2002:"
        let written =
            tag.rawValue.hasPrefix(standard) ? "!!\(tag.rawValue.dropFirst(standard.count))" : tag.rawValue
        problems.report(
            .noTags,
            key: key,
            position: position,
            "contains the tag \(written.inQuotes); tags are not accepted",
            remedy: "remove the tag; write a number without quotes, and text that looks like a number or begins with !"
                + " in quotes"
        )
    }

    // MARK: Syntax

    private func report(_ error: any Error, _ disguises: KeyDisguises) {
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            let position = disguises.original(TextPosition(mark))
            report(problem: problem, context: context?.text, at: position)
        case YamlError.reader(let problem, _, let value, _):
            // The text is valid UTF-8, so only a character that YAML does not permit remains.
            let digits = String(value, radix: 16, uppercase: true)
            let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            let remedy = "remove the character, or write it as an escape in double quotes"
            problems.report(.syntax, "is not YAML: \(problem): U+\(code)", remedy: remedy)
        default:
            problems.report(.syntax, "is not YAML: \("\(error)".inQuotes)", remedy: "save it as plain UTF-8 text")
        }
    }

    private func report(problem: String, context: String?, at position: TextPosition) {
        func report(_ rule: DocumentProblem.Rule, _ message: String, remedy: String) {
            problems.report(rule, position: position, message, remedy: remedy)
        }
        if problem.contains("another document") {
            report(
                .syntax,
                "contains a second document",
                remedy: "remove it; a line of three hyphens (---) begins a document"
            )
        } else if problem.contains("undefined alias") {
            report(
                .noAliases,
                "uses an alias; aliases are not accepted",
                remedy: "write the value out, or put text that begins with a star in quotes"
            )
        } else if problem.contains("nesting level") {
            let remedy = "remove inner lists and mappings"
            report(.tooDeep, "is nested more than \(Self.deepestNesting) levels deep", remedy: remedy)
        } else if problem.contains("cannot start any token"), character(at: position) == "\t" {
            let remedy = "write spaces instead"
            report(.syntax, "is not YAML: the line has a tab where only spaces are allowed", remedy: remedy)
        } else {
            let detail = context.map { " \($0)" } ?? ""
            let remedy = "correct this line or the one before it, or put text with special characters in quotes"
            report(.syntax, "is not YAML: \(problem)\(detail)", remedy: remedy)
        }
    }

    private func character(at position: TextPosition) -> Unicode.Scalar? {
        TextPosition.index(of: position, in: text).map { text.unicodeScalars[$0] }
    }
}

extension TextPosition {
    fileprivate init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}
