// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A complete request of a client of the gateway, in either version of HTTP.
package struct GatewayRequest: Hashable, Sendable {
    /// A header field; its name is in lower case.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name.lowercased(), value) }
    }

    /// Maximum size of a body in bytes, that of Apple's service for background pushes.
    package static let maximumBody = 4096

    package let method: String
    package let path: String
    package let fields: [Field]
    package let body: [UInt8]
    /// Whether the body was larger than `maximumBody`; `body` then lacks its end.
    package let isTooLarge: Bool

    package init(method: String, path: String, fields: [Field], body: [UInt8] = [], isTooLarge: Bool = false) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.isTooLarge = isTooLarge
    }

    /// The values of the fields with a name in lower case.
    func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// The answer to a request, in either version of HTTP.
package struct GatewayAnswer: Hashable, Sendable {
    package let status: Int
    package let fields: [GatewayRequest.Field]
    /// The body; empty for an answer without one.
    package let body: [UInt8]

    package init(status: Int, fields: [GatewayRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
