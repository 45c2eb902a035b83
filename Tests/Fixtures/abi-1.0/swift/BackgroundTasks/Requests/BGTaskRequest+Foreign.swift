// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

extension BGTaskRequest {
    /// Calls `body` with the request as a struct of the ABI, and returns the result. The pointers in the struct are
    /// valid during the call only.
    func withForeignRequest(_ body: (UnsafePointer<bgt_request>) -> Int32) -> Int32 {
        let terms = currentTerms
        let payload = terms.payload ?? Data()
        let titles = (self as? BGContinuedProcessingTaskRequest)?.currentTitles
        return withForeignText(identifier) { identifier in
            withForeignText(titles?.title) { title in
                withForeignText(titles?.subtitle) { subtitle in
                    payload.withUnsafeBytes { bytes in
                        var request = bgt_request()
                        request.size = UInt32(MemoryLayout<bgt_request>.size)
                        request.identifier = identifier
                        request.earliest_begin_ns = terms.earliestBegin?.foreignNanoseconds ?? 0
                        request.expires_at_ns = terms.startDeadline?.foreignDeadline ?? 0
                        request.payload = bytes.count == 0 ? nil : bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                        request.payload_length = UInt64(bytes.count)
                        request.title = title
                        request.subtitle = subtitle
                        fill(&request)
                        return body(&request)
                    }
                }
            }
        }
    }

    private func withForeignText(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}

extension Date {
    /// The date in nanoseconds since 1970, rounded up, so that the task does not begin before the date. Dates before
    /// 1970 give 0, which means no delay.
    fileprivate var foreignNanoseconds: Int64 {
        let nanoseconds = (timeIntervalSince1970 * 1e9).rounded(.up)
        if nanoseconds.isNaN || nanoseconds <= 0 { return 0 }
        return Int64(exactly: nanoseconds) ?? .max
    }

    /// The date in nanoseconds since 1970, rounded down, so that the task does not start after the date. At least 1,
    /// because 0 means no deadline; 0 only for a date that is not a number.
    fileprivate var foreignDeadline: Int64 {
        let nanoseconds = (timeIntervalSince1970 * 1e9).rounded(.down)
        if nanoseconds.isNaN { return 0 }
        return nanoseconds < 1 ? 1 : Int64(exactly: nanoseconds) ?? .max
    }
}
