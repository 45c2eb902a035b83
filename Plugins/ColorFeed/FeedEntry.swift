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
    let published: Date
}

// Stored as web pages write it.
extension Color: DatabaseValueConvertible {}
