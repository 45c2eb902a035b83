// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Reads dates as feeds write them. Made once for a document: the formatters cost more than what they read.
struct FeedDates {
    private let atom = [ISO8601DateFormatter.Options(), .withFractionalSeconds].map { extra in
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, extra]
        return format
    }

    private let rss = ["EEE, dd MMM yyyy HH:mm:ss Z", "dd MMM yyyy HH:mm:ss Z", "EEE, dd MMM yyyy HH:mm:ss zzz"].map {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = $0
        return format
    }

    /// Atom's (RFC 3339) or RSS's (RFC 822); nil for anything else.
    func date(_ text: String) -> Date? {
        for format in atom { if let date = format.date(from: text) { return date } }
        for format in rss { if let date = format.date(from: text) { return date } }
        return nil
    }
}
