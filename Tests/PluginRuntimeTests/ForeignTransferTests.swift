// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import PluginRuntime
import TaskModel
import Testing

@Suite("A transfer of a plugin is copied whole, or refused with the value, the rule and the remedy")
struct ForeignTransferTests {
    /// Reads a transfer whose strings live during the call.
    private func read(
        session: String = "photos",
        url: String = "https://example.com/1.jpg",
        _ change: (inout bgt_transfer) -> Void = { _ in }
    ) throws(CallProblem) -> ForeignTransfer {
        let result = session.withCString { session in
            url.withCString { url -> Result<ForeignTransfer, CallProblem> in
                var transfer = bgt_download(session, url)
                change(&transfer)
                return withUnsafePointer(to: transfer) { address in
                    Result { () throws(CallProblem) in try ForeignTransfer(address) }
                }
            }
        }
        return try result.get()
    }

    private func problem(
        session: String = "photos",
        url: String = "https://example.com/1.jpg",
        _ change: (inout bgt_transfer) -> Void = { _ in }
    ) -> CallProblem? {
        do throws(CallProblem) {
            _ = try read(session: session, url: url, change)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a download without options has its session and URL alone`() throws {
        let transfer = try read()
        #expect(transfer.description.direction == .download && transfer.description.session.text == "photos")
        #expect(transfer.description.url == "https://example.com/1.jpg" && transfer.description.headers == [])
        #expect(transfer.description.size == nil && transfer.description.sha256 == nil)
        #expect(transfer.earliestBegin == nil && transfer.expiresAt == nil)
    }

    @Test func `size, digest, dates and the discretionary flag of a download are copied`() throws {
        let digest = [UInt8](0..<32)
        let transfer = try digest.withUnsafeBufferPointer { bytes in
            try read {
                $0.sha256 = bytes.baseAddress
                $0.expected_size = 12
                $0.earliest_begin_ns = 5
                $0.expires_at_ns = 6
                $0.flags = UInt32(BGT_TRANSFER_DISCRETIONARY)
            }
        }
        #expect(transfer.description.sha256?.hasPrefix("000102030405") == true)
        #expect(transfer.description.sha256?.utf8.count == 64 && transfer.description.size == 12)
        #expect(transfer.earliestBegin == WallTime(nanoseconds: 5) && transfer.expiresAt == WallTime(nanoseconds: 6))
        #expect(transfer.description.isDiscretionary)
    }

    @Test func `a header is split at its first colon, and a secret header is marked`() throws {
        let transfer = try "Accept: a:b".withCString { plain in
            try "Authorization: Bearer ${token}".withCString { secret in
                try withUnsafePointer(to: plain) { headers in
                    try withUnsafePointer(to: secret) { secrets in
                        try read {
                            ($0.headers, $0.header_count) = (headers, 1)
                            ($0.secret_headers, $0.secret_header_count) = (secrets, 1)
                        }
                    }
                }
            }
        }
        #expect(
            transfer.description.headers == [
                .init(name: "Accept", value: "a:b"),
                .init(name: "Authorization", value: "Bearer ${token}", isSecret: true),
            ]
        )
    }

    @Test func `an upload needs a file of the container, and a download has none`() throws {
        #expect(problem { $0.kind = UInt32(BGT_TRANSFER_UPLOAD) }?.status == BGT_INVALID)
        let file = "out/day.json"
        try file.withCString { file in
            let upload = try read {
                $0.kind = UInt32(BGT_TRANSFER_UPLOAD)
                $0.file = file
            }
            #expect(upload.description.file == "out/day.json" && upload.description.direction == .upload)
            #expect(problem { $0.file = file }?.status == BGT_INVALID)
        }
        "../day.json".withCString { file in
            let outside = problem {
                $0.kind = UInt32(BGT_TRANSFER_UPLOAD)
                $0.file = file
            }
            #expect(outside?.message.contains("not a path within the container") == true)
        }
    }

    @Test func `malformed sessions, URLs, headers and dates are invalid, with a remedy`() {
        #expect(problem(session: "Photos")?.message.contains("lower-case letters") == true)
        #expect(problem(session: "")?.status == BGT_INVALID)
        for url in ["ftp://example.com/", "file:///etc/passwd", "https://", "https://exa mple.com/"] {
            #expect(problem(url: url)?.status == BGT_INVALID, "\(url)")
        }
        #expect(problem { $0.header_count = 1 }?.message.contains("headers: NULL with a count of 1") == true)
        #expect(problem { $0.expires_at_ns = -1 }?.message.contains("expires_at_ns: -1 is negative") == true)
        #expect(problem { $0.kind = 0 }?.status == BGT_INVALID)
        #expect(problem { $0.size = 8 }?.status == BGT_INVALID)
    }

    @Test func `a kind and a flag of a newer header are too new`() {
        #expect(problem { $0.kind = 3 }?.status == BGT_TOO_NEW)
        #expect(problem { $0.flags = 2 }?.status == BGT_TOO_NEW)
        #expect(problem { $0.reserved = 1 }?.status == BGT_TOO_NEW)
    }
}
