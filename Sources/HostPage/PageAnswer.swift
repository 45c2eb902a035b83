// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import FoundationEssentials
import NIOHTTP1

/// An answer to a browser.
enum PageAnswer: Sendable {
    /// `allowed` has the methods of the path, for an answer about a wrong one.
    case whole(status: Int, type: String, bytes: [UInt8], allowed: String? = nil)
    /// The answer of the host, passed on as it arrives.
    case ofHost(ForwardedAnswer)

    init(_ file: PageFile) { self = .whole(status: 200, type: file.type, bytes: file.bytes) }

    init(_ refusal: PageRefusal) {
        self.init(refusal.status, refusal.message, refusal.remedy, allowed: refusal.allowed)
    }

    /// An error of the page in the form of an error of the control API.
    init(_ status: Int, _ message: String, _ remedy: String?, allowed: String? = nil) {
        struct Body: Encodable {
            struct Error: Encodable {
                let message: String
                let remedy: String?
            }
            let error: Error
        }
        self.init(status, Body(error: .init(message: message, remedy: remedy)), allowed: allowed)
    }

    init(_ status: Int, _ body: some Encodable, allowed: String? = nil) {
        let json = (try? WireCoding.encode(body)) ?? Data("{}".utf8)
        self = .whole(status: status, type: "application/json", bytes: Array(json), allowed: allowed)
    }

    /// The head of the response. No other site may embed the page, read its answers or add scripts to it.
    var head: HTTPResponseHead {
        var headers: HTTPHeaders = [
            "content-security-policy": Self.policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "cache-control": "no-store",
        ]
        switch self {
        case .whole(let status, let type, let bytes, let allowed):
            if let allowed { headers.add(name: "allow", value: allowed) }
            headers.add(name: "content-type", value: type)
            headers.add(name: "content-length", value: "\(bytes.count)")
            return HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        case .ofHost(let answer):
            if let type = answer.contentType { headers.add(name: "content-type", value: type) }
            return HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers)
        }
    }

    /// Besides, no script can turn a text into markup or code: the browser refuses it without a trusted type, and no
    /// policy may make one.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")
}
