// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// Conversion between Swift strings and the C strings in calls of the host.
enum HostText {
    /// A title without NULs, cut after a whole character to the length that the host accepts.
    static func title(_ text: String) -> String {
        var cut = text.replacing("\0", with: "")[...]
        while cut.utf8.count > Int(BGTASK_TITLE_MAX) { cut = cut.dropLast() }
        return String(cut)
    }

    /// Reads a string whose length the host returns.
    ///
    /// - Parameter read: fills the buffer, and stores the size in bytes with the NUL.
    /// - Returns: the string; nil when the host has none, or when the call fails.
    static func read(_ read: (UnsafeMutablePointer<CChar>?, UInt64, inout UInt64) -> Int32) -> String? {
        var needed: UInt64 = 0
        var status = read(nil, 0, &needed)
        // The values are fixed for a launch, so a second call suffices; the limit protects against an inconsistent
        // host.
        for _ in 0..<3 where status == BGT_TRUNCATED {
            var bytes = [CChar](repeating: 0, count: Int(clamping: needed))
            status = bytes.withUnsafeMutableBufferPointer { read($0.baseAddress, UInt64($0.count), &needed) }
            if status == BGT_OK { return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } }
        }
        return nil
    }
}
