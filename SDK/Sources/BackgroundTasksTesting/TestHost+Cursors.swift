// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import CBackgroundTasksTesting
public import Foundation

// Cursors of tasks that continue. A cursor stays for the next run of its identifier, until a run succeeds.
extension TestHost {
    /// Sets the cursor of an identifier, as an earlier run left it.
    ///
    /// - Parameters:
    ///   - cursor: the cursor. It is stored as JSON, as by `BGTask/resuming(_:by:durable:accepts:)`.
    ///   - identifier: the identifier of the task.
    ///   - version: the version of the plugin that wrote the cursor.
    /// - Throws: the error of the encoding.
    public func setCursor(_ cursor: some Encodable, of identifier: String, version: String? = nil) throws {
        let bytes = try JSONEncoder().encode(cursor)
        _ = bytes.withUnsafeBytes { bgtt_set_cursor(host, identifier, $0.baseAddress, $0.count, version) }
    }

    /// The bytes of the cursor of an identifier; nil when the next run begins from the start.
    public func cursor(of identifier: String) -> Data? {
        var bytes = Data(count: Int(BGTASK_CURSOR_MAX))
        let length = bytes.withUnsafeMutableBytes { bgtt_cursor(host, identifier, $0.baseAddress, $0.count) }
        return length == 0 ? nil : bytes.prefix(length)
    }

    /// Makes this host one without cursors: each loop over remaining items begins with the first one.
    public func withholdCursors() { bgtt_withhold(host, BGTASK_CURSOR) }
}
