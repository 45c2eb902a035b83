// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB

/// An entry of the feed that contains a colour: a row of the database.
struct FeedEntry: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "entry"

    let feed: String
    let id: String
    let title: String
    let link: String
    let color: Color
    /// Date of publication. If the feed has none, the date when the entry was first seen.
    var published: Date
    /// Whether the feed has a date for the entry. This property is not stored.
    var isDated = true

    private enum CodingKeys: CodingKey {
        case feed, id, title, link, color, published
    }
}

// Stored in the notation of web pages.
extension Color: DatabaseValueConvertible {}
