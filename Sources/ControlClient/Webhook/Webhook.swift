// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
package import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Posts JSON to a URL of another program, over http or https. It follows no redirects.
package struct Webhook: Sendable {
    /// The answer to a post.
    package enum Answer: Hashable, Sendable {
        case status(Int)
        /// No answer arrived; the text is the cause.
        case none(String)
    }

    package let url: String
    private let http: HTTPClient
    private let timeout: Duration

    /// Whether a post may go to the URL: it is absolute, and its scheme is http or https.
    package static func accepts(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased() else { return false }
        return ["http", "https"].contains(scheme) && parts.host?.isEmpty == false
    }

    /// Runs `body` with a webhook, whose connections are closed afterwards.
    ///
    /// - Parameter timeout: maximum time of one post.
    package static func with<Result>(
        _ url: String,
        timeout: Duration,
        _ body: (Webhook) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        // The caller repeats a failed post later.
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(Webhook(url: url, http: http, timeout: timeout))
            try await http.shutdown()
            return result
        } catch {
            try? await http.shutdown()
            throw error
        }
    }

    /// Posts a JSON body. The body of the answer is not read.
    package func post(_ json: Data) async -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: "bgtask")
        request.body = .bytes(json)
        do {
            let nanoseconds = timeout.components.seconds * 1_000_000_000
            let response = try await http.execute(request, timeout: .nanoseconds(nanoseconds))
            return .status(Int(response.status.code))
        } catch {
            return .none("\(error)")
        }
    }
}
