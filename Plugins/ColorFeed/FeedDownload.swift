// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import FoundationNetworking

/// The document of a feed, with the tag of its version.
struct FeedDownload: Sendable {
    let body: Data
    /// The server's entity tag, for a conditional request at the next download; nil when the server sent none, and for
    /// a file.
    let tag: String?

    /// Downloads the feed; nil when the server's version still has the tag `tag`.
    static func from(_ address: URL, unlessTagged tag: String?) async throws -> FeedDownload? {
        let download =
            address.isFileURL ? Self(body: try Data(contentsOf: address), tag: nil) : try await get(address, tag)
        if let download, download.body.count > Settings.longestDocument {
            throw Failure("\(address) has \(download.body.count) bytes; raise max-bytes if that is meant")
        }
        return download
    }

    private static func get(_ address: URL, _ tag: String?) async throws -> FeedDownload? {
        var request = URLRequest(url: address, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 15)
        if let tag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
        let (body, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw Failure("\(address) returned no HTTP response") }
        switch response.statusCode {
        case 200: return Self(body: body, tag: response.value(forHTTPHeaderField: "ETag"))
        case 304: return nil
        case let status: throw Failure("\(address) answered \(status); it should be 200 with a feed, or 304")
        }
    }
}
