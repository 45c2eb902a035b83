// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension HostMessage: WireMessage {
    /// Maximum length of a frame in bytes after its length field: more than twice the size of a hundred tasks with full
    /// payloads.
    package static let frameLimit = 1 << 24

    private enum FrameType: UInt16 {
        case plan = 257
        case expire = 258
        case submitted = 259
        case refused = 260
        case cancelled = 261
        case pending = 262
        case stop = 263
        case expireAssertions = 264
        case deliver = 265
        case confine = 266
        case cursorStored = 267
        case pushToken = 268
        case yieldCursor = 269
        case transferBegun = 270
        case transfers = 271
    }

    package var frameType: UInt16 {
        let type: FrameType =
            switch self {
            case .confine: .confine
            case .plan: .plan
            case .deliver: .deliver
            case .expire: .expire
            case .expireAssertions: .expireAssertions
            case .submitted: .submitted
            case .refused: .refused
            case .cancelled: .cancelled
            case .pending: .pending
            case .stop: .stop
            case .cursorStored: .cursorStored
            case .pushToken: .pushToken
            case .transferBegun: .transferBegun
            case .transfers: .transfers
            case .yieldCursor: .yieldCursor
            }
        return type.rawValue
    }

    package func putFields(into frame: inout FrameWriter) {
        switch self {
        case .confine(let confinement):
            frame.put(confinement)
        case .plan(let plan):
            frame.put(plan)
        case .deliver(let task):
            frame.put(task)
        case .expire(let tasks, let reason):
            frame.put(list: tasks) { $0.put($1) }
            frame.put(reason)
        case .yieldCursor(let task):
            frame.put(task)
        case .expireAssertions(let reason):
            frame.put(reason)
        case .submitted(let call, let number):
            frame.put(call)
            frame.put(number)
        case .refused(let call, let refusal):
            frame.put(call)
            frame.put(refusal.code)
            frame.put(refusal.subReason)
            frame.put(text: refusal.message)
        case .cancelled(let call, let isRecorded):
            frame.put(call)
            frame.put(isRecorded)
        case .cursorStored(let call, let isRecorded):
            frame.put(call)
            frame.put(isRecorded)
        case .pushToken(let call, let token):
            frame.put(call)
            frame.put(bytes: token?.bytes ?? [])
        case .transferBegun(let call, let number):
            frame.put(call)
            frame.put(number)
        case .transfers(let call, let transfers):
            frame.put(call)
            frame.put(list: transfers) { $0.put($1) }
        case .pending(let call, let requests):
            frame.put(call)
            frame.put(list: requests) { frame, listed in
                frame.put(listed.request)
                frame.put(listed.number)
                frame.put(bytes: listed.payload)
            }
        case .stop:
            break
        }
    }

    package init(frameType: UInt16, fields: inout FrameReader) throws(WireError) {
        switch FrameType(rawValue: frameType) {
        case .confine:
            self = .confine(try fields.confinement())
        case .plan:
            self = .plan(try fields.plan())
        case .deliver:
            self = .deliver(try fields.plannedTask())
        case .expire:
            self = .expire(try fields.tasks("expire.tasks"), try fields.value("expire.reason"))
        case .yieldCursor:
            self = .yieldCursor(try fields.value("yieldCursor.task"))
        case .expireAssertions:
            self = .expireAssertions(try fields.value("expireAssertions.reason"))
        case .submitted:
            self = .submitted(try fields.value("submitted.call"), try fields.value("submitted.number"))
        case .refused:
            self = .refused(
                try fields.value("refused.call"),
                SubmissionRefusal(
                    code: try fields.value("refused.code"),
                    subReason: try fields.value("refused.subReason"),
                    message: try fields.text("refused.message")
                )
            )
        case .cancelled:
            self = .cancelled(
                try fields.value("cancelled.call"),
                isRecorded: try fields.flag("cancelled.isRecorded")
            )
        case .cursorStored:
            self = .cursorStored(
                try fields.value("cursorStored.call"),
                isRecorded: try fields.flag("cursorStored.isRecorded")
            )
        case .pushToken:
            self = .pushToken(try fields.value("pushToken.call"), try fields.pushToken("pushToken.token"))
        case .transferBegun:
            self = .transferBegun(try fields.value("transferBegun.call"), try fields.value("transferBegun.number"))
        case .transfers:
            self = .transfers(
                try fields.value("transfers.call"),
                try fields.list("transfers.list", minimumSize: FrameReader.smallestListedTransfer) {
                    fields throws(WireError) in try fields.listedTransfer()
                }
            )
        case .pending:
            self = .pending(
                try fields.value("pending.call"),
                try fields.list("pending.requests", minimumSize: 28) { fields throws(WireError) in
                    ListedRequest(
                        request: try fields.request(),
                        number: try fields.value("pending.number"),
                        payload: try fields.bytes("pending.payload")
                    )
                }
            )
        case .stop:
            self = .stop
        case nil:
            throw WireError(
                code: .unknownType,
                message: "the message has the type \(frameType), which no host of this version sends"
            )
        }
    }
}

extension FrameReader {
    /// A device token; nil for no bytes.
    fileprivate mutating func pushToken(_ field: StaticString) throws(WireError) -> PushToken? {
        let bytes = try bytes(field)
        if bytes.isEmpty { return nil }
        guard let token = PushToken(bytes: bytes) else {
            throw WireError(
                code: .unknownValue,
                message: "\(field) has \(bytes.count) bytes; a device token has \(PushToken.size)"
            )
        }
        return token
    }
}
