// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import BackgroundTasks
import CBackgroundTasks
import CBackgroundTasksTesting
import Foundation

// Transfers that the plugin has begun. Nothing is transferred: the test ends each transfer.
extension TestHost {
    /// A transfer, as the plugin has begun it.
    public struct BegunTransfer: Hashable, Sendable {
        /// Whether it downloads or uploads.
        public let direction: BackgroundTransferTask.Direction
        /// The name of its session.
        public let session: String
        /// The URL.
        public let url: String
        /// The text for users and for the plugin; nil without one.
        public let taskDescription: String?
        /// The file of an upload, relative to the container; nil for a download.
        public let file: String?
        /// The headers as `Name: value`, with secret ones.
        public let headers: [String]
        /// The expected SHA-256; nil when it is not known.
        public let sha256: Data?
        /// The expected size in bytes; 0 when it is not known.
        public let expectedSize: Int
        /// Whether it also waits for external power and an idle machine.
        public let isDiscretionary: Bool

        init(_ transfer: bgt_transfer) {
            direction = BackgroundTransferTask.Direction(rawValue: transfer.kind) ?? .download
            session = transfer.session.map { String(cString: $0) } ?? ""
            url = transfer.url.map { String(cString: $0) } ?? ""
            taskDescription = transfer.label.map { String(cString: $0) }
            file = transfer.file.map { String(cString: $0) }
            headers =
                UnsafeBufferPointer(start: transfer.headers, count: Int(transfer.header_count))
                .map { String(cString: $0) }
                + UnsafeBufferPointer(start: transfer.secret_headers, count: Int(transfer.secret_header_count))
                .map { String(cString: $0) }
            sha256 = transfer.sha256.map { Data(bytes: $0, count: Int(BGTASK_SHA256_SIZE)) }
            expectedSize = Int(clamping: transfer.expected_size)
            isDiscretionary = transfer.flags & UInt32(BGT_TRANSFER_DISCRETIONARY) != 0
        }
    }

    /// The transfers that the plugin has begun, in their order: the first one has the number 1.
    public var transfers: [BegunTransfer] {
        (0..<bgtt_transfer_count(host)).compactMap { bgtt_transfer(host, $0) }.map { BegunTransfer($0.pointee) }
    }

    /// Ends an open transfer as finished.
    ///
    /// - Parameters:
    ///   - number: the number of the transfer.
    ///   - contents: the download, or the body of the answer to an upload. It is written to the container.
    /// - Returns: false when the transfer is not open.
    @discardableResult
    public func finishTransfer(_ number: Int, with contents: Data = Data()) -> Bool {
        contents.withUnsafeBytes { bgtt_finish_transfer(host, UInt64(clamping: number), $0.baseAddress, $0.count) }
    }

    /// Ends an open transfer as failed.
    ///
    /// - Returns: false when the transfer is not open.
    @discardableResult
    public func failTransfer(_ number: Int, code: String = "http-status", httpStatus: Int = 404) -> Bool {
        bgtt_fail_transfer(host, UInt64(clamping: number), code, UInt32(clamping: httpStatus))
    }

    /// Delivers the event of a finished session, and waits for its outcome as ``outcome(of:)`` does. After a success the
    /// ended transfers without a file that is left to take are forgotten.
    public func finishSession(_ name: String) async -> BGTask.Outcome? {
        BGTask.Outcome(rawValue: await waiting { bgtt_send_session($0, name) })
    }
}
