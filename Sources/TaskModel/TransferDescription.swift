// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A download into a file, or an upload of a file, as a plugin begins it. Its text is the payload of the request.
package struct TransferDescription: Hashable, Sendable {
    package enum Direction: UInt32, Hashable, Sendable, CaseIterable {
        case download = 1
        case upload = 2

        package var name: String { self == .download ? "download" : "upload" }
    }

    /// A header of the request to the server.
    package struct Header: Hashable, Sendable {
        package let name: String
        /// The value. In that of a secret header, `${KEY}` stands for the value of the secret setting KEY.
        package let value: String
        package let isSecret: Bool

        package init(name: String, value: String, isSecret: Bool = false) {
            self.name = name
            self.value = value
            self.isSecret = isSecret
        }
    }

    package let direction: Direction
    package let session: TransferSession
    package let label: String?
    package let url: String
    /// The method of an upload, PUT or POST; nil for the default: GET for a download, PUT for an upload.
    package let method: String?
    package let headers: [Header]
    /// The file of an upload, as a path relative to the container; nil for a download.
    package let file: String?
    /// The expected number of bytes of a download; nil when unknown.
    package let size: UInt64?
    /// The expected SHA-256 of a download as 64 hexadecimal digits in lower case; nil when unknown.
    package let sha256: String?
    /// Whether the transfer waits for external power and an idle machine.
    package let isDiscretionary: Bool

    package init(
        direction: Direction,
        session: TransferSession,
        label: String? = nil,
        url: String,
        method: String? = nil,
        headers: [Header] = [],
        file: String? = nil,
        size: UInt64? = nil,
        sha256: String? = nil,
        isDiscretionary: Bool = false
    ) {
        self.direction = direction
        self.session = session
        self.label = label
        self.url = url
        self.method = method
        self.headers = headers
        self.file = file
        self.size = size
        self.sha256 = sha256
        self.isDiscretionary = isDiscretionary
    }
}

extension TransferDescription {
    package static let longestLabel = 256
    package static let longestURL = 8_192
    package static let mostHeaders = 64
    package static let longestHeaders = 16_384
    package static let longestPath = 4_096
    package static let methods = ["PUT", "POST"]

    /// The URL without user information, query and fragment, for lists and the journal: these parts may be secrets.
    package var shownURL: String {
        var text = String(url.prefix { $0 != "?" && $0 != "#" })
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        if let mark = authority.lastIndex(of: "@") {
            text = text[..<scheme.upperBound] + String(rest[rest.index(after: mark)...])
        }
        return text
    }
}

extension TransferDescription {
    /// The port of the URL, or the default of its scheme; nil when the URL has an invalid one.
    package var port: Int? {
        guard let mark = url.firstRange(of: "://") else { return nil }
        var authority = url[mark.upperBound...].prefix { !"/?#".contains($0) }
        if let user = authority.lastIndex(of: "@") { authority = authority[authority.index(after: user)...] }
        if let bracket = authority.lastIndex(of: "]") { authority = authority[authority.index(after: bracket)...] }
        guard let colon = authority.lastIndex(of: ":") else {
            return url[..<mark.lowerBound].lowercased() == "https" ? 443 : 80
        }
        return Int(authority[authority.index(after: colon)...]).flatMap { (1...65_535).contains($0) ? $0 : nil }
    }

    /// The keys of the secret settings that the secret headers name, in the order of the headers.
    package var secretKeys: [String] {
        headers.filter(\.isSecret).flatMap { header -> [String] in
            var keys: [String] = []
            var rest = header.value[...]
            while let begin = rest.firstRange(of: "${"), let end = rest[begin.upperBound...].firstIndex(of: "}") {
                keys.append(String(rest[begin.upperBound..<end]))
                rest = rest[rest.index(after: end)...]
            }
            return keys
        }
    }
}
