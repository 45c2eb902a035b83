// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// Text on its way through the C table.
enum HostText {
    /// What people see of a task is cut, at a whole character, to what the host takes.
    static func title(_ text: String) -> String {
        var cut = text.replacing("\0", with: "")[...]
        while cut.utf8.count > Int(BGTASK_TITLE_MAX) { cut = cut.dropLast() }
        return String(cut)
    }

    /// Reads a text whose length the host tells.
    ///
    /// - Parameter read: fills the buffer, and says how many bytes there are with the NUL.
    /// - Returns: nil when the host has none.
    static func read(_ read: (UnsafeMutablePointer<CChar>?, UInt64, inout UInt64) -> Int32) -> String? {
        var needed: UInt64 = 0
        var status = read(nil, 0, &needed)
        // What the launch may read is fixed; once more is enough, and a host that says otherwise is not believed for ever.
        for _ in 0..<3 where status == BGT_TRUNCATED {
            var bytes = [CChar](repeating: 0, count: Int(clamping: needed))
            status = bytes.withUnsafeMutableBufferPointer { read($0.baseAddress, UInt64($0.count), &needed) }
            if status == BGT_OK { return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } }
        }
        return nil
    }
}
