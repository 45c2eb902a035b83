// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import CBackgroundTasks
package import TaskModel

/// A request that a plugin submits, copied out of the plugin's memory and checked to be well-formed. Permissions are
/// checked elsewhere.
package struct ForeignSubmission: Hashable, Sendable {
    package let request: TaskRequest
    package let payload: [UInt8]

    package init(_ address: UnsafePointer<bgt_request>?) throws(CallProblem) {
        guard let address else { throw CallProblem(status: BGT_INVALID, message: "request: NULL; pass a bgt_request") }
        switch ForeignStruct.read(address, as: bgt_request.self, minimum: ForeignStruct.MinorZero.request) {
        case .value(let fields): try self.init(fields)
        case .tooNew:
            throw CallProblem(
                status: BGT_TOO_NEW,
                message: "request: uses fields that this host, of ABI minor version \(BGTASK_ABI_MINOR), does not"
                    + " support; leave them zero, or upgrade bgtaskd"
            )
        case .invalid:
            throw CallProblem(
                status: BGT_INVALID,
                message:
                    "request.size: not the size of a bgt_request; create the request with bgt_refresh_request or"
                    + " similar"
            )
        }
    }

    private init(_ fields: bgt_request) throws(CallProblem) {
        let identifier = try Self.identifier(fields.identifier)
        let kind = try Self.kind(fields)
        let continued = try Self.continued(fields, kind)
        let payload = try Self.payload(fields)
        let deadline = try Self.deadline(fields)
        // The date of a continued request is ignored, as by Apple's BackgroundTasks; the control API refuses it.
        let hasDate = fields.earliest_begin_ns != 0 && kind.mayBeginLater
        request = TaskRequest(
            identifier: identifier,
            kind: kind,
            earliestBegin: hasDate ? WallTime(nanoseconds: fields.earliest_begin_ns) : nil,
            expiresAt: deadline,
            requiresNetwork: fields.flags & BGT_NEEDS_NETWORK != 0,
            requiresExternalPower: fields.flags & BGT_NEEDS_EXTERNAL_POWER != 0,
            protection: Self.protection(fields),
            continued: continued
        )
        self.payload = payload
    }

    package static func identifier(_ address: UnsafePointer<CChar>?) throws(CallProblem) -> TaskIdentifier {
        guard let address else {
            throw CallProblem(status: BGT_INVALID, message: "identifier: NULL; pass the identifier of a task")
        }
        guard let text = ForeignText.read(address, limit: ReverseDNSName.maximumLength) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "identifier: longer than \(ReverseDNSName.maximumLength) bytes or not UTF-8;"
                    + " write an identifier that the manifest permits"
            )
        }
        // The identifier of a push has a flaw as the name of a task: only users and the host name pushes.
        guard TaskIdentifier.flaw(in: text) == nil, let identifier = TaskIdentifier(text) else {
            let flaw = TaskIdentifier.flaw(in: text) ?? .unknown
            throw CallProblem(status: BGT_INVALID, message: "identifier \"\(text)\" \(flaw.text)")
        }
        return identifier
    }

    private static func kind(_ fields: bgt_request) throws(CallProblem) -> TaskKind {
        guard fields.kind != 0 else {
            throw CallProblem(status: BGT_INVALID, message: "kind: 0; use a BGT_KIND_... other than BGT_KIND_EVENT")
        }
        guard let kind = TaskKind(rawValue: fields.kind), TaskKind.ofABI.contains(kind) else {
            throw tooNew("kind \(fields.kind) is not a BGT_KIND_...")
        }
        guard TaskKind.submittable.contains(kind) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "kind \(fields.kind): events are delivered, never submitted; use another BGT_KIND_..."
            )
        }
        try refuseForeignFields(fields, of: kind)
        return kind
    }

    /// The problem of a request with a number or bit that this host does not know (BGT-ABI-06).
    static func tooNew(_ flaw: String) -> CallProblem {
        CallProblem(
            status: BGT_TOO_NEW,
            message: "\(flaw) of this host, whose ABI minor version is \(BGTASK_ABI_MINOR);"
                + " leave it out, or upgrade bgtaskd"
        )
    }

    /// The deadline of a request; nil without one. Whether it has passed is decided by the host.
    private static func deadline(_ fields: bgt_request) throws(CallProblem) -> WallTime? {
        guard fields.expires_at_ns >= 0 else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "expires_at_ns: \(fields.expires_at_ns) is negative; pass a time of the wall clock in"
                    + " nanoseconds since 1970, or 0 for no deadline"
            )
        }
        return fields.expires_at_ns == 0 ? nil : WallTime(nanoseconds: fields.expires_at_ns)
    }

    private static func payload(_ fields: bgt_request) throws(CallProblem) -> [UInt8] {
        guard fields.payload_length <= TaskRequest.maximumPayload else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "payload_length: \(fields.payload_length) bytes; at most \(TaskRequest.maximumPayload) are"
                    + " allowed; put larger data into the container"
            )
        }
        guard (fields.payload == nil) == (fields.payload_length == 0) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "payload: \(fields.payload == nil ? "NULL" : "not NULL"), but payload_length is"
                    + " \(fields.payload_length); pass NULL with length 0, or an address with a length above 0"
            )
        }
        guard let payload = fields.payload else { return [] }
        return Array(UnsafeBufferPointer(start: payload, count: Int(fields.payload_length)))
    }
}
