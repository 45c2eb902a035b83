// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Method, path and known header fields of a request. A client chooses the size of its header fields, so that no others
/// are kept while the body arrives.
struct RequestHead: Hashable, Sendable {
    /// The fields that the gateway reads.
    private static let known: Set = [
        "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
        "authorization",
    ]
    /// Number of kept fields with one name: a repeated field is refused.
    private static let repetitions = 2
    /// Maximum size of a kept value in bytes. A longer value is cut, and is still longer than any valid one.
    private static let maximumValue = 320
    private static let maximumAuthorization = ProviderToken.maximumSize + 1

    let method: String
    let path: String
    let fields: [GatewayRequest.Field]

    init(method: String, path: String, fields: some Sequence<(String, String)>) {
        self.method = Self.cut(method, Self.maximumValue)
        self.path = Self.cut(path, Self.maximumValue)
        var kept: [GatewayRequest.Field] = []
        for (name, value) in fields {
            let name = name.lowercased()
            guard Self.known.contains(name), kept.count(where: { $0.name == name }) < Self.repetitions else { continue }
            let size = name == "authorization" ? Self.maximumAuthorization : Self.maximumValue
            kept.append(.init(name, Self.cut(value, size)))
        }
        self.fields = kept
    }

    private static func cut(_ text: String, _ size: Int) -> String {
        text.utf8.count <= size ? text : String(decoding: text.utf8.prefix(size), as: UTF8.self)
    }
}

extension GatewayRequest {
    init(head: RequestHead, body: [UInt8], isTooLarge: Bool) {
        self.init(method: head.method, path: head.path, fields: head.fields, body: body, isTooLarge: isTooLarge)
    }
}
