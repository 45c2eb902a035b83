// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation

/// Checks values against the JSON Schemas of the document. It supports only the keywords that the document uses; any
/// other keyword is an error.
struct SchemaCheck {
    let document: APIDocument

    private static let words: Set = ["description", "default", "example", "examples"]

    func problems(of value: JSONValue, against schema: JSONValue, at place: String) throws -> [String] {
        let schema = try document.resolved(schema)
        if schema == .boolean(false) { return ["\(place) is not allowed"] }
        guard case .object(let keywords) = schema else { throw HostFailure("\(place): no schema, but \(schema.words)") }
        if keywords.isEmpty { throw HostFailure("\(place): a schema that takes anything") }
        return try keywords.sorted { $0.key < $1.key }.flatMap { keyword, rule in
            try Self.words.contains(keyword)
                ? [] : problems(of: value, against: keyword, rule, in: schema, at: place)
        }
    }

    private func problems(
        of value: JSONValue,
        against keyword: String,
        _ rule: JSONValue,
        in schema: JSONValue,
        at place: String
    ) throws -> [String] {
        func unless(_ holds: Bool) -> [String] {
            holds ? [] : ["\(place) is \(value.words) against \(keyword) \(rule.words)"]
        }
        switch (keyword, rule, value) {
        case ("type", .string(let name), _): return unless(try Self.isOf(name, value))
        case ("type", .array(let names), _):
            return unless(try names.contains { try Self.isOf($0.text ?? "", value) })
        case ("enum", .array(let values), _): return unless(values.contains(value))
        case ("const", _, _): return unless(rule == value)
        case ("oneOf", .array(let schemas), _):
            return unless(try schemas.count { try problems(of: value, against: $0, at: place).isEmpty } == 1)
        case ("anyOf", .array(let schemas), _):
            return unless(try schemas.contains { try problems(of: value, against: $0, at: place).isEmpty })
        case ("allOf", .array(let schemas), _):
            return try schemas.flatMap { try problems(of: value, against: $0, at: place) }
        case ("not", .object, _): return unless(try !problems(of: value, against: rule, at: place).isEmpty)
        case ("required", .array(let names), .object(let members)):
            return names.compactMap(\.text).filter { members[$0] == nil }.map { "\(place).\($0) is missing" }
        case ("properties", .object(let schemas), .object(let members)):
            return try schemas.sorted { $0.key < $1.key }.flatMap { name, schema in
                try members[name].map { try problems(of: $0, against: schema, at: "\(place).\(name)") } ?? []
            }
        case ("additionalProperties", .boolean(false), .object(let members)):
            let known = schema["properties"].members.map(\.0)
            return members.keys.filter { !known.contains($0) }.sorted().map { "\(place).\($0) is not known" }
        case ("additionalProperties", .object, .object(let members)) where schema["properties"] == .null:
            return try members.flatMap { try problems(of: $1, against: rule, at: "\(place).\($0)") }
        case ("propertyNames", .object, .object(let members)):
            return try members.keys.sorted().flatMap {
                try problems(of: .string($0), against: rule, at: "\(place), its key \($0)")
            }
        case ("items", .object, .array(let elements)):
            return try elements.enumerated().flatMap {
                try problems(of: $1, against: rule, at: "\(place)[\($0)]")
            }
        case ("minItems", .integer(let least), .array(let elements)): return unless(elements.count >= least)
        case ("maxItems", .integer(let most), .array(let elements)): return unless(elements.count <= most)
        case ("minProperties", .integer(let least), .object(let members)): return unless(members.count >= least)
        case ("minimum", .integer(let least), .integer(let number)): return unless(number >= least)
        case ("maximum", .integer(let most), .integer(let number)): return unless(number <= most)
        case ("minLength", .integer(let least), .string(let text)): return unless(text.unicodeScalars.count >= least)
        case ("maxLength", .integer(let most), .string(let text)): return unless(text.unicodeScalars.count <= most)
        case ("pattern", .string(let pattern), .string(let text)):
            return unless(try text.contains(Regex(pattern)))
        case ("contentEncoding", .string("base64"), .string(let text)):
            return unless(Data(base64Encoded: text) != nil)
        case ("format", .string(let name), _): return unless(try Self.isFormatted(name, value))
        case ("required", .array, _), ("properties", .object, _), ("additionalProperties", .boolean(false), _),
            ("additionalProperties", .object, _), ("propertyNames", .object, _), ("items", .object, _),
            ("pattern", .string, _), ("minItems", .integer, _),
            ("maxItems", .integer, _), ("minProperties", .integer, _), ("minimum", .integer, _),
            ("maximum", .integer, _), ("minLength", .integer, _), ("maxLength", .integer, _),
            ("contentEncoding", .string("base64"), _):
            // A value of another type is reported by the keyword `type`.
            return []
        default: throw HostFailure("\(place): keyword \(keyword) \(rule.words) is not known to this check")
        }
    }

    private static func isOf(_ type: String, _ value: JSONValue) throws -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .boolean), ("null", .null),
            ("integer", .integer), ("number", .integer), ("number", .number):
            true
        case ("object", _), ("array", _), ("string", _), ("boolean", _), ("null", _), ("integer", _), ("number", _):
            false
        default: throw HostFailure("type \(type) is not known to this check")
        }
    }

    private static func isFormatted(_ format: String, _ value: JSONValue) throws -> Bool {
        switch (format, value) {
        case ("date-time", .string(let text)): Timestamp(text) != nil
        case ("epoch-ns", .string(let text)): Int64(text) != nil
        case ("int32", .integer(let number)): Int32(exactly: number) != nil
        case ("uuid", .string(let text)): UUID(uuidString: text) != nil
        case ("int64", _), ("date-time", _), ("epoch-ns", _), ("int32", _), ("uuid", _): true
        default: throw HostFailure("format \(format) is not known to this check")
        }
    }
}
