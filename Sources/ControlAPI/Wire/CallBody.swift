// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
import TaskModel

/// The body of a call. Its type declares the fields, so that a refusal can name the invalid field and its rule.
package protocol CallBody: Codable, Sendable {
    static var fields: [BodyField] { get }
}

/// A field of a body: its key and the permitted type of its value.
package struct BodyField: Hashable, Sendable {
    package enum Shape: Hashable, Sendable {
        case text
        case texts
        case boolean
        /// A boolean, or null to revoke an override.
        case booleanOrNull
        /// An object with a boolean or null for each key, which is a plugin identifier.
        case booleansOrNulls
        /// A whole number.
        case whole
        case number
        /// An object with these fields.
        indirect case object([BodyField])
        /// A list of objects. The elements are checked one by one.
        case objects
        case time
        case base64

        var words: String {
            switch self {
            case .text: "a string"
            case .texts: "a list of strings"
            case .boolean: "true or false"
            case .booleanOrNull: "true, false or null"
            case .booleansOrNulls: "an object with true, false or null for each plugin identifier"
            case .whole: "a whole number"
            case .number: "a number"
            case .object: "an object"
            case .objects: "a list of objects"
            case .time: "an RFC 3339 time such as 2026-01-31T02:00:00Z"
            case .base64: "a string in base64"
            }
        }
    }

    package let name: String
    package let shape: Shape
    package let isRequired: Bool

    package static func required(_ name: String, _ shape: Shape) -> Self {
        Self(name: name, shape: shape, isRequired: true)
    }

    package static func optional(_ name: String, _ shape: Shape) -> Self {
        Self(name: name, shape: shape, isRequired: false)
    }
}

extension CallBody {
    /// The decoded body of a call of `route`. Throws a refusal for a missing body, for a body that is no JSON object,
    /// and for an unknown, repeated, missing or invalid field.
    package static func reading(_ data: Data, for route: Route) throws(RouteError) -> Self {
        let parsed = try ParsedBody<Self>(data, fields, for: route)
        try fields.check(parsed.members, for: route)
        return try parsed.decoded()
    }
}

/// A body that was parsed once: the members of its object, by which its fields are checked, and its decoded value.
struct ParsedBody<Body: Decodable> {
    let members: [String: JSONValue]
    private let body: Result<Body, any Error>

    /// Parses the body of a call. Throws a refusal for a missing body, for a body that is no JSON object, and for a
    /// repeated field.
    init(_ data: Data, _ fields: [BodyField], for route: Route) throws(RouteError) {
        do {
            self = try WireCoding.decode(from: data)
        } catch {
            throw fields.refusal(of: data, for: route)
        }
        if let name = RepeatedField.first(in: data) { throw .repeated(name) }
    }

    /// The decoded value. Throws a refusal when it cannot be decoded although its fields have valid types.
    func decoded() throws(RouteError) -> Body {
        do { return try body.get() } catch { throw .undecodable(error) }
    }
}

extension ParsedBody: Decodable {
    init(from decoder: any Decoder) throws {
        members = try JSONValue.members(of: decoder)
        body = Result { try Body(from: decoder) }
    }
}

extension [BodyField] {
    /// The refusal of a body that is no JSON object.
    fileprivate func refusal(of data: Data, for route: Route) -> RouteError {
        let remedy = "send a JSON object; its permitted fields are \(map(\.name).joined(separator: ", "))"
        if data.isEmpty { return RouteError(.bodyMissing, "\(route) requires a body", remedy: remedy) }
        guard let value = try? JSONValue(parsing: data) else {
            return RouteError(.bodyNotJSON, "the body cannot be read as JSON in UTF-8", remedy: remedy)
        }
        return RouteError(.bodyNotObject, "the body is \(value.words), not an object", remedy: remedy)
    }

    /// Throws a refusal for an unknown, missing or invalid field.
    func check(_ members: [String: JSONValue], for route: Route) throws(RouteError) {
        try check(members, in: "the body of \(route)", after: "")
    }

    /// Throws a refusal as above.
    ///
    /// - Parameters:
    ///   - whole: the object with the members, for messages.
    ///   - path: the place of the object, which precedes the names of its members; empty for the body.
    fileprivate func check(
        _ members: [String: JSONValue],
        in whole: String,
        after path: String
    ) throws(RouteError) {
        let names = map(\.name)
        // The names are sorted, so that the same body is always refused for the same field.
        for name in members.keys.sorted() where !names.contains(name) {
            throw RouteError(
                .fieldUnknown,
                field: path + name,
                "field \"\(path + name)\" is not part of \(whole)",
                remedy: NearestWord.remedy(for: name, among: names)
            )
        }
        for field in self { try field.placed(after: path).check(members[field.name]) }
    }
}

extension RouteError {
    /// The refusal of a field that the body, or one request of a batch, contains more than once.
    static func repeated(_ name: String, in whole: String = "the body") -> Self {
        let problem = "field \"\(name)\" is in \(whole) more than once"
        return Self(.fieldRepeated, field: name, problem, remedy: "keep one of them")
    }

    /// The refusal of a body whose fields have valid types, and that cannot be decoded.
    static func undecodable(_ error: any Error) -> Self {
        Self(.fieldType, "the body cannot be read: \(WireCoding.explanation(of: error))")
    }
}

extension BodyField {
    /// The field with its whole place as the name, for messages.
    fileprivate func placed(after path: String) -> BodyField {
        path.isEmpty ? self : BodyField(name: path + name, shape: shape, isRequired: isRequired)
    }

    fileprivate func check(_ value: JSONValue?) throws(RouteError) {
        let remedy = "write \(shape.words)"
        switch (shape, value) {
        case (_, nil) where isRequired:
            throw RouteError(
                .fieldMissing,
                field: name,
                "field \"\(name)\" is missing",
                remedy: "add the field: \(remedy)"
            )
        case (_, nil), (.booleanOrNull, .null), (.booleanOrNull, .boolean), (.boolean, .boolean), (.text, .string),
            (.whole, .integer), (.number, .integer), (.number, .number), (.objects, .array):
            break
        case (.object(let fields), .object(let members)):
            try fields.check(members, in: "field \"\(name)\"", after: "\(name).")
        case (_, .null):
            let way = isRequired ? remedy : "\(remedy), or leave the field out"
            throw RouteError(.fieldNull, field: name, "field \"\(name)\" is null", remedy: way)
        case (.texts, .array(let elements)):
            for (index, element) in elements.enumerated() {
                if case .string = element { continue }
                throw wrongType(element, at: "\(name)[\(index)]", .text)
            }
        case (.booleansOrNulls, .object(let members)):
            if members.isEmpty {
                let problem = "field \"\(name)\" is empty"
                throw RouteError(.conditionMissing, field: name, problem, remedy: "write \(shape.words), at least one")
            }
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                if case .boolean = member { continue }
                if case .null = member { continue }
                throw wrongType(member, at: "\(name).\(key)", .booleanOrNull)
            }
        case (.time, .string(let text)):
            if Timestamp(text) != nil { break }
            let problem = "field \"\(name)\" is \"\(text)\", which is no RFC 3339 time of the years 1678 to 2261"
            throw RouteError(.timeInvalid, field: name, problem, remedy: remedy)
        case (.base64, .string(let text)):
            if Self.isBase64(text) { break }
            let problem = "field \"\(name)\" is not valid base64"
            throw RouteError(
                .base64Invalid,
                field: name,
                problem,
                remedy: "encode the bytes in the alphabet with + and / of RFC 4648, section 4, with padding"
            )
        case (_, .some(let value)):
            throw wrongType(value, at: name, shape)
        }
    }

    /// Whether a text is base64 with its padding. `Data` also decodes a text with too much of it, such as `====`.
    private static func isBase64(_ text: String) -> Bool {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return text.utf8.count.isMultiple(of: 4) && padding <= 2 && Data(base64Encoded: text) != nil
    }

    private func wrongType(_ value: JSONValue, at place: String, _ shape: Shape) -> RouteError {
        let problem = "field \"\(place)\" is \(value.words), which is not \(shape.words)"
        return RouteError(.fieldType, field: place, problem, remedy: "write \(shape.words)")
    }
}
