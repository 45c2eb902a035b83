// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import CBackgroundTasks
package import TaskModel

/// A transfer that a plugin begins, copied out of the plugin's memory and checked to be well-formed. Permissions are
/// checked elsewhere.
package struct ForeignTransfer: Hashable, Sendable {
    package let description: TransferDescription
    package let earliestBegin: WallTime?
    package let expiresAt: WallTime?

    package init(_ address: UnsafePointer<bgt_transfer>?) throws(CallProblem) {
        guard let address else {
            throw CallProblem(status: BGT_INVALID, message: "transfer: NULL; pass a bgt_transfer")
        }
        switch ForeignStruct.read(address, as: bgt_transfer.self, minimum: ForeignStruct.MinorZero.transfer) {
        case .value(let fields): try self.init(fields)
        case .tooNew: throw ForeignSubmission.tooNew("transfer: a field beyond its last one is no field")
        case .invalid:
            throw CallProblem(
                status: BGT_INVALID,
                message: "transfer.size: not the size of a bgt_transfer; create it with bgt_download or bgt_upload"
            )
        }
    }

    private init(_ fields: bgt_transfer) throws(CallProblem) {
        guard let direction = TransferDescription.Direction(rawValue: fields.kind) else {
            if fields.kind != 0 { throw ForeignSubmission.tooNew("kind \(fields.kind) is not a kind of transfers") }
            throw CallProblem(
                status: BGT_INVALID,
                message: "kind: 0; use BGT_TRANSFER_DOWNLOAD or BGT_TRANSFER_UPLOAD"
            )
        }
        let discretionary = UInt32(BGT_TRANSFER_DISCRETIONARY)
        guard fields.flags & ~discretionary == 0, fields.reserved == 0 else {
            throw ForeignSubmission.tooNew("flags \(fields.flags), reserved \(fields.reserved): a bit is no flag")
        }
        let session = try Self.session(fields.session)
        let limit = TransferDescription.longestURL
        guard let url = try Self.text(fields.url, "url", limit: limit) else {
            throw CallProblem(status: BGT_INVALID, message: "url: NULL; pass a URL that begins with https://")
        }
        description = TransferDescription(
            direction: direction,
            session: session,
            label: try Self.text(fields.label, "label", limit: TransferDescription.longestLabel),
            url: url,
            method: try Self.text(fields.method, "method", limit: 16),
            headers: try Self.headers(fields.headers, fields.header_count, isSecret: false)
                + Self.headers(fields.secret_headers, fields.secret_header_count, isSecret: true),
            file: try Self.text(fields.file, "file", limit: TransferDescription.longestPath),
            size: fields.expected_size == 0 ? nil : fields.expected_size,
            sha256: fields.sha256.map(Self.digits),
            isDiscretionary: fields.flags & discretionary != 0
        )
        if let flaw = description.flaw { throw CallProblem(status: BGT_INVALID, message: "transfer: \(flaw)") }
        earliestBegin = fields.earliest_begin_ns == 0 ? nil : WallTime(nanoseconds: fields.earliest_begin_ns)
        guard fields.expires_at_ns >= 0 else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "expires_at_ns: \(fields.expires_at_ns) is negative; pass a time of the wall clock in"
                    + " nanoseconds since 1970, or 0 for no deadline"
            )
        }
        expiresAt = fields.expires_at_ns == 0 ? nil : WallTime(nanoseconds: fields.expires_at_ns)
    }

    package static func session(_ address: UnsafePointer<CChar>?) throws(CallProblem) -> TransferSession {
        guard let text = try text(address, "session", limit: TransferSession.longest),
            let session = TransferSession(text)
        else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "session: NULL or malformed; a name of a session has \(TransferSession.rule)"
            )
        }
        return session
    }

    private static func text(
        _ address: UnsafePointer<CChar>?,
        _ field: StaticString,
        limit: Int
    ) throws(CallProblem) -> String? {
        guard let address else { return nil }
        guard let text = ForeignText.read(address, limit: limit) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "\(field): longer than \(limit) bytes or not UTF-8; shorten or correct it"
            )
        }
        return text
    }

    private static func digits(_ digest: UnsafePointer<UInt8>) -> String {
        UnsafeBufferPointer(start: digest, count: Int(BGTASK_SHA256_SIZE))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension ForeignTransfer {
    /// Headers as `Name: value`.
    private static func headers(
        _ address: UnsafePointer<UnsafePointer<CChar>>?,
        _ count: UInt64,
        isSecret: Bool
    ) throws(CallProblem) -> [TransferDescription.Header] {
        guard count <= TransferDescription.mostHeaders, (address == nil) == (count == 0) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "headers: \(address == nil ? "NULL" : "not NULL") with a count of \(count); pass NULL with 0,"
                    + " or an address with a count of 1 to \(TransferDescription.mostHeaders)"
            )
        }
        guard let address else { return [] }
        // The plugin may have written NULL into the list.
        let list = UnsafeRawPointer(address).assumingMemoryBound(to: UnsafePointer<CChar>?.self)
        var headers: [TransferDescription.Header] = []
        for index in 0..<Int(count) {
            let limit = TransferDescription.longestHeaders
            guard let text = try text(list[index], "headers", limit: limit), let colon = text.firstIndex(of: ":") else {
                throw CallProblem(
                    status: BGT_INVALID,
                    message: "headers[\(index)]: NULL or without a colon; write it as \"Name: value\""
                )
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            headers.append(.init(name: String(text[..<colon]), value: String(value), isSecret: isSecret))
        }
        return headers
    }
}
