// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit

/// A JSON schema in `Documentation/schemas`, applied by Python's jsonschema.
struct Schema {
    private let file: String
    private let document: JSONValue
    /// Path of each named key in the schema; a `*` stands for a name that the file chooses.
    let paths: [[String]]

    init(_ name: String) throws {
        file = try Self.root.appending(path: "Documentation/schemas/\(name).schema.json").path
        document = try JSONValue(parsing: Data(contentsOf: URL(filePath: file)))
        paths = Self.paths(below: document, in: document)
    }

    /// The identifier of the schema; nil when it has none.
    var identifier: String? { document["$id"].text }

    /// The directory of the source checkout from which the tests were built.
    static var root: URL {
        get throws {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
        }
    }

    /// Whether each text is valid under the schema.
    func verdicts(on texts: [String]) async throws -> [Bool] {
        try await ScratchDirectory.with { directory in
            let files = try texts.enumerated().map { try directory.write($1.utf8, to: "\($0).yaml") }
            let run = try await ProgramRun.of(
                "/usr/bin/python3",
                [Self.root.appending(path: "Tests/schemas").path, file] + files
            )
            let lines = run.output.split(separator: "\n")
            guard run.status == 0, lines.count == texts.count else { throw HostFailure(run.error) }
            return lines.map { $0 == "valid" }
        }
    }

    // MARK: Keys

    /// The keys of a mapping in the definitions (`$defs`) of the schema, by the name of the definition.
    func keys(ofDefinition name: String) -> [String] { document["$defs"][name]["properties"].members.map(\.0) }

    /// A YAML line that sets the key at a path: `a: { b: VALUE }` for the path a, b.
    static func line(of path: [String], _ value: String) -> String {
        let names = path.enumerated().map { index, name in name == "*" ? "com.example.name\(index)" : name }
        let inner = names.dropFirst().reversed().reduce(value) { "{ \($1): \($0) }" }
        return "\(names.first ?? ""): \(inner)"
    }

    /// A value of a wrong type for a key, far from the key's own type: a list for a mapping, otherwise a mapping.
    func wrongValue(at path: [String]) -> String {
        let schema = path.reduce(document) { schema, name in
            let schema = Self.resolved(schema, in: document)
            return schema[name == "*" ? "additionalProperties" : "properties"][name == "*" ? nil : name]
        }
        let type = Self.resolved(schema, in: document)["type"]
        return type == "object" || type.elements.contains("object") ? "[]" : "{ a: b }"
    }

    private static func paths(below schema: JSONValue, in document: JSONValue) -> [[String]] {
        let schema = resolved(schema, in: document)
        let named = schema["properties"].members.flatMap { name, inner in
            [[name]] + paths(below: inner, in: document).map { [name] + $0 }
        }
        return named + paths(of: schema["additionalProperties"], in: document)
    }

    private static func paths(of schema: JSONValue, in document: JSONValue) -> [[String]] {
        guard case .object = schema else { return [] }
        return paths(below: schema, in: document).map { ["*"] + $0 }
    }

    /// The values of each enumeration, by its place: names of keys and definitions.
    var enumerations: [String: [String]] { Self.enumerations(in: document, at: "") }

    private static func enumerations(in value: JSONValue, at place: String) -> [String: [String]] {
        var found: [String: [String]] = [:]
        let values = value["enum"].elements.compactMap(\.text)
        if !values.isEmpty { found[place] = values }
        for (name, inner) in value.members {
            let isKeyword = ["properties", "items", "oneOf", "additionalProperties", "$defs"].contains(name)
            let below = isKeyword ? place : place.isEmpty ? name : "\(place).\(name)"
            for part in [inner] + inner.elements {
                found.merge(enumerations(in: part, at: below)) { first, _ in first }
            }
        }
        return found
    }

    private static func resolved(_ schema: JSONValue, in document: JSONValue) -> JSONValue {
        guard let name = schema["$ref"].text?.split(separator: "/").last else { return schema }
        return document["$defs"][String(name)]
    }

    // MARK: Pages

    /// The YAML blocks of every documentation page. Blocks marked `yaml fragment` are completed by the keys that every
    /// manifest has.
    static func documents() throws -> [String] {
        var pages = [try root.appending(path: "README.md")]
        for name in ["Documentation", "SDK/Sources/BackgroundTasks/BackgroundTasks.docc/Articles"] {
            let directory = try root.appending(path: name)
            pages += try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                .filter { $0.hasSuffix(".md") }.map { directory.appending(path: $0) }
        }
        return try pages.flatMap { page in
            try String(contentsOf: page, encoding: .utf8)
                .matches(of: /^```yaml( fragment)?\n(.*?)^```$/.anchorsMatchLineEndings().dotMatchesNewlines())
                .map { $0.1 == nil ? String($0.2) : manifest(around: String($0.2)) }
        }
    }

    private static func manifest(around fragment: String) -> String {
        let bound = fragment.matches(of: /\ identifier: (\S+)/).map { String($0.1) }
        let permitted = bound.isEmpty ? ["com.example.fragment.task"] : bound
        let lines = [
            "manifest: 1", "identifier: com.example.fragment", "library: libFragment.so",
            "background-modes: [processing]", "permitted-identifiers: [\(permitted.joined(separator: ", "))]",
            "settings: { directory: /a, pattern: a, title: a, into: /b }",
        ]
        let missing = lines.filter { line in !"\n\(fragment)".contains("\n\(line.prefix { $0 != ":" }):") }
        return (missing + [fragment]).joined(separator: "\n")
    }
}

extension JSONValue {
    fileprivate subscript(_ name: String?) -> JSONValue { name.map { self[$0] } ?? self }
}
