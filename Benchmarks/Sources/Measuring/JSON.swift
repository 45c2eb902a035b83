// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A value of a JSON answer, with access by key. Below a missing key, `text` and `integer` are nil.
package struct JSON {
    private let value: Any?

    package init(_ text: String) { value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) }
    private init(value: Any?) { self.value = value }

    package subscript(_ key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }
    package var text: String? { value as? String }
    package var integer: Int? { (value as? NSNumber)?.intValue }
    package var bool: Bool { (value as? NSNumber)?.boolValue ?? false }
    /// Number of elements of an array; 0 for any other value.
    package var count: Int { (value as? [Any])?.count ?? 0 }
}
