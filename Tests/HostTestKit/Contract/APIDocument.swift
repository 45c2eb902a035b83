// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import Yams

/// The OpenAPI document, as data for checks of routes and bodies.
package struct APIDocument: Sendable {
    package let root: JSONValue

    package init(_ text: String = APIDescription.text) throws {
        guard let node = try Yams.compose(yaml: text) else { throw HostFailure("the document is empty") }
        root = try JSONValue(node)
    }

    /// One HTTP method of one path in the document.
    package struct Operation: Sendable {
        package let method: String
        package let path: String
        package let body: JSONValue
    }

    package var operations: [Operation] {
        root["paths"].members.flatMap { path, methods in
            methods.members.map { Operation(method: $0.uppercased(), path: path, body: $1) }
        }
    }

    package func operation(_ route: Route) throws -> JSONValue {
        let found = operations.first { $0.method == route.method.rawValue && $0.path == route.template }
        guard let found else { throw HostFailure("\(route) is not in the document") }
        return found.body
    }

    /// The target of a `$ref`; the value itself if it is not a reference.
    package func resolved(_ value: JSONValue) throws -> JSONValue {
        guard case .string(let reference) = value["$ref"] else { return value }
        guard reference.hasPrefix("#/") else { throw HostFailure("\(reference) leads out of the document") }
        let target = reference.dropFirst(2).split(separator: "/").reduce(root) { $0[String($1)] }
        if target == .null { throw HostFailure("\(reference) leads nowhere") }
        return try resolved(target)
    }

    /// The schema of an answer with that status and content type.
    package func schema(of route: Route, status: Int, _ type: String = "application/json") throws -> JSONValue {
        let response = try resolved(try operation(route)["responses"]["\(status)"])
        let schema = response["content"][type]["schema"]
        if schema == .null { throw HostFailure("\(route) is not said to answer \(status) in \(type)") }
        return schema
    }

    package func schema(named name: String) throws -> JSONValue {
        try resolved(.object(["$ref": .string("#/components/schemas/\(name)")]))
    }

    /// All violations of the schema by a value, each with its position; empty for a valid value.
    package func problems(of value: JSONValue, against schema: JSONValue) throws -> [String] {
        try SchemaCheck(document: self).problems(of: value, against: schema, at: "body")
    }
}

extension JSONValue {
    /// The member of an object with that key; null if it is missing, or the value is not an object.
    package subscript(_ key: String) -> JSONValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    package var members: [(String, JSONValue)] {
        if case .object(let members) = self { members.sorted { $0.key < $1.key } } else { [] }
    }

    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// Converts a YAML node to a JSON value. A plain scalar `null`, an empty one, `true`, `false` and decimal integers
    /// have the type of their form; every other scalar is a string, even a plain fraction. Throws for an alias, and for
    /// a key that is no name or occurs twice.
    init(_ node: Node) throws {
        switch node {
        case .mapping(let mapping):
            var members: [String: JSONValue] = [:]
            for (key, value) in mapping {
                guard let name = key.string, members[name] == nil else {
                    throw HostFailure("\(key) is not a name, or occurs twice")
                }
                members[name] = try JSONValue(value)
            }
            self = .object(members)
        case .sequence(let sequence): self = .array(try sequence.map { try JSONValue($0) })
        case .scalar(let scalar) where scalar.style == .plain:
            if scalar.string.isEmpty || scalar.string == "null" {
                self = .null
            } else if let value = Bool(scalar.string) {
                self = .boolean(value)
            } else if let value = Int64(scalar.string) {
                self = .integer(value)
            } else {
                self = .string(scalar.string)
            }
        case .scalar(let scalar): self = .string(scalar.string)
        case .alias: throw HostFailure("the document has an alias")
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}
