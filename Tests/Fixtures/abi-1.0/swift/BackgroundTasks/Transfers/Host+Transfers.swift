// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// The values of a transfer: its description, and its course as the host lists it.
struct TransferValues: Sendable {
    var direction = BackgroundTransferTask.Direction.download
    var number = 0
    var url: String
    var label: String?
    var method: String?
    /// The absolute path of the file of an upload.
    var file: String?
    var headers: [String: String] = [:]
    var secretHeaders: [String: String] = [:]
    var earliestBegin: Date?
    var expectedSize: Int64 = 0
    var sha256: Data?
    var isDiscretionary = false
    var state = BackgroundTransferTask.State.suspended
    var bytes: Int64 = 0
    var total: Int64 = 0
    var code: String?
    var httpStatus: Int?
    /// The file of an ended transfer, relative to the container; nil without one.
    var result: String?

    init(url: String) { self.url = url }

    init(_ info: bgt_transfer_info) {
        url = info.url.map { String(cString: $0) } ?? ""
        direction = BackgroundTransferTask.Direction(rawValue: info.kind) ?? .download
        number = Int(clamping: info.number)
        label = info.label.map { String(cString: $0) }
        state = BackgroundTransferTask.State(rawValue: info.state) ?? .unknown
        bytes = Int64(clamping: info.bytes)
        total = Int64(clamping: info.total)
        code = info.code.map { String(cString: $0) }
        httpStatus = info.http_status == 0 ? nil : Int(info.http_status)
        result = info.file.map { String(cString: $0) }
    }
}

extension Host {
    /// The functions of the feature for transfers. Throws on a host without it.
    private func transferFunctions() throws -> UnsafePointer<bgt_transfers> {
        guard let table = bgt_query(self.table, BGTASK_TRANSFER) else {
            let text = "this host makes no transfers; upgrade bgtaskd"
            throw BGTaskScheduler.Error(.unavailable, subReason: .notOffered, text: text)
        }
        return table.assumingMemoryBound(to: bgt_transfers.self)
    }

    func begin(_ values: TransferValues, in session: String) throws -> Int {
        let functions = try transferFunctions()
        let texts = CTexts()
        defer { texts.free() }
        var transfer = bgt_transfer()
        transfer.size = UInt32(MemoryLayout<bgt_transfer>.size)
        transfer.kind = values.direction.rawValue
        transfer.flags = values.isDiscretionary ? UInt32(BGT_TRANSFER_DISCRETIONARY) : 0
        transfer.session = texts.copy(session)
        transfer.url = texts.copy(values.url)
        transfer.label = values.label.map(texts.copy)
        transfer.method = values.method.map(texts.copy)
        transfer.file = values.file.map { texts.copy(relative($0)) }
        transfer.header_count = UInt64(values.headers.count)
        transfer.headers = texts.copy(headers: values.headers)
        transfer.secret_header_count = UInt64(values.secretHeaders.count)
        transfer.secret_headers = texts.copy(headers: values.secretHeaders)
        transfer.expected_size = UInt64(max(0, values.expectedSize))
        transfer.earliest_begin_ns = values.earliestBegin.map(Self.nanoseconds) ?? 0
        if let digest = values.sha256, digest.count != Int(BGTASK_SHA256_SIZE) {
            let text = "sha256: \(digest.count) bytes; a SHA-256 has \(BGTASK_SHA256_SIZE)"
            throw BGTaskScheduler.Error(.notPermitted, subReason: .malformedRequest, text: text)
        }
        transfer.sha256 = values.sha256.map(texts.copy(bytes:))
        var number: UInt64 = 0
        let answer = Answer { refusal in functions.pointee.begin(table, &transfer, &number, refusal) }
        guard answer.status == .ok else { throw BGTaskScheduler.Error(answer) }
        return Int(clamping: number)
    }

    /// A path of the container, relative to it; another path unchanged, which the host refuses.
    private func relative(_ path: String) -> String {
        guard let container = BackgroundPlugin.containerURL?.standardizedFileURL.path else { return path }
        let prefix = container.hasSuffix("/") ? container : container + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }

    private static func nanoseconds(_ date: Date) -> Int64 {
        let nanoseconds = (date.timeIntervalSince1970 * 1e9).rounded(.up)
        return Int64(exactly: max(1, min(nanoseconds, 9.2e18))) ?? 0
    }

    func cancelTransfer(_ number: Int) throws {
        let functions = try transferFunctions()
        let number = UInt64(clamping: number)
        let answer = Answer { refusal in functions.pointee.cancel(table, number, refusal) }
        if answer.status != .ok { throw BGTaskScheduler.Error(answer) }
    }

    func transfers(of session: String) throws -> [TransferValues] {
        let functions = try transferFunctions()
        var found: [TransferValues] = []
        let answer = withUnsafeMutablePointer(to: &found) { found in
            Answer { refusal in
                functions.pointee.list(
                    table,
                    session,
                    { context, _, transfer in
                        // The address of `found`, which outlives the visit.
                        context?.assumingMemoryBound(to: [TransferValues].self).pointee
                            .append(TransferValues(transfer.pointee))
                        return BGT_OK
                    },
                    found,
                    refusal
                )
            }
        }
        if answer.status != .ok { throw BGTaskScheduler.Error(answer) }
        return found
    }

    /// A call for a file that no longer exists: the host then counts it as taken.
    func noteMoved(_ number: Int) {
        _ = try? transferFunctions().pointee.take(table, UInt64(clamping: number), "moved", 0, nil)
    }

    func takeTransfer(_ number: Int, to path: String, replacing: Bool) throws {
        let functions = try transferFunctions()
        let flags = replacing ? UInt32(BGT_TAKE_REPLACE) : 0
        let answer = Answer { refusal in
            functions.pointee.take(table, UInt64(clamping: number), relative(path), flags, refusal)
        }
        let information = [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: answer.text]
        switch answer.status {
        case .ok: return
        case .notFound: throw CocoaError(.fileNoSuchFile, userInfo: information)
        case .duplicate: throw CocoaError(.fileWriteFileExists, userInfo: information)
        case .unavailable: throw CocoaError(.fileWriteUnknown, userInfo: information)
        default: throw BGTaskScheduler.Error(answer)
        }
    }
}

/// Copies of strings for one call of the host.
private final class CTexts {
    private var memory: [UnsafeMutableRawPointer] = []

    func copy(_ text: String) -> UnsafePointer<CChar> {
        let bytes = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: byte) }
        memory.append(copy)
        return UnsafePointer(copy)
    }

    func copy(bytes: Data) -> UnsafePointer<UInt8> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        bytes.copyBytes(to: copy, count: bytes.count)
        memory.append(copy)
        return UnsafePointer(copy)
    }

    /// The headers as `Name: value`, sorted by name; nil for none.
    func copy(headers: [String: String]) -> UnsafePointer<UnsafePointer<CChar>>? {
        if headers.isEmpty { return nil }
        let list = UnsafeMutablePointer<UnsafePointer<CChar>>.allocate(capacity: headers.count)
        for (index, header) in headers.sorted(by: { $0.key < $1.key }).enumerated() {
            (list + index).initialize(to: copy("\(header.key): \(header.value)"))
        }
        memory.append(list)
        return UnsafePointer(list)
    }

    func free() {
        for address in memory { address.deallocate() }
    }
}
