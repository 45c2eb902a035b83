// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Dates as feeds write them.
enum FeedDate {
    /// Atom's (RFC 3339) or RSS's (RFC 822); nil for anything else.
    static func date(_ text: String) -> Date? {
        let atom = ISO8601DateFormatter()
        for options: ISO8601DateFormatter.Options in [
            .withInternetDateTime, [.withInternetDateTime, .withFractionalSeconds],
        ] {
            atom.formatOptions = options
            if let date = atom.date(from: text) { return date }
        }
        let rss = DateFormatter()
        rss.locale = Locale(identifier: "en_US_POSIX")
        for format in ["EEE, dd MMM yyyy HH:mm:ss Z", "dd MMM yyyy HH:mm:ss Z", "EEE, dd MMM yyyy HH:mm:ss zzz"] {
            rss.dateFormat = format
            if let date = rss.date(from: text) { return date }
        }
        return nil
    }
}
