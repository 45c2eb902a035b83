// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Reads the dates of a feed. Created once per document, because creating the formatters is expensive.
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

    /// A date in the format of Atom (RFC 3339) or RSS (RFC 822); nil for other formats.
    func date(_ text: String) -> Date? {
        for format in atom { if let date = format.date(from: text) { return date } }
        for format in rss { if let date = format.date(from: text) { return date } }
        return nil
    }
}
