// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB

/// A colour of the feed, and who names it.
struct FeedEntry: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "entry"

    let feed: String
    let id: String
    let title: String
    let link: String
    let color: Color
    /// For one whose feed does not say, when it was first seen.
    var published: Date
    /// Whether the feed says when it was published; not stored.
    var isDated = true

    private enum CodingKeys: CodingKey {
        case feed, id, title, link, color, published
    }
}

// Stored as web pages write it.
extension Color: DatabaseValueConvertible {}
