// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Title and subtitle of a continued task, copied out of a plugin's memory. The initializer returns nil when either is
/// invalid.
package struct ForeignTitles: Hashable, Sendable {
    package let title: String
    package let subtitle: String?

    package init?(_ title: UnsafePointer<CChar>?, _ subtitle: UnsafePointer<CChar>?) {
        guard let title = Self.text(title), !title.isEmpty else { return nil }
        self.title = title
        guard let subtitle else {
            self.subtitle = nil
            return
        }
        guard let text = Self.text(subtitle) else { return nil }
        self.subtitle = text
    }

    /// The string at an address; nil for NULL, and for a string that is too long or not UTF-8.
    static func text(_ address: UnsafePointer<CChar>?) -> String? {
        address.flatMap { ForeignText.read($0, limit: ContinuedTerms.maximumTitle) }
    }
}
