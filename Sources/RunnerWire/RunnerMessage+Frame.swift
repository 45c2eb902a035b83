// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension RunnerMessage: WireMessage {
    /// Maximum length of a frame in bytes after its length field. The largest messages are a submission with a full
    /// payload, and the registrations of a plugin with very many identifiers.
    package static let frameLimit = 1 << 20

    private enum FrameType: UInt16 {
        case entered = 1
        case loadFailed = 2
        case completed = 3
        case expirationHandler = 4
        case expiring = 5
        case submit = 6
        case cancel = 7
        case cancelAll = 8
        case pending = 9
        case log = 10
        case violation = 11
        case stopped = 12
        case assertionBegan = 13
        case assertionEnded = 14
        case registered = 15
        case progress = 16
        case title = 17
        case fetchInterval = 18
        case ffiMissing = 20
        case sandboxFailed = 21
        case confined = 22
        case cursorWritten = 23
        case checkpoint = 24
        case registerForPushes = 25
        case unregisterForPushes = 26
        case beginTransfer = 27
        case cancelTransfer = 28
        case transfers = 29
        case transferTaken = 30
        case transferEnded = 31
        case notificationContent = 40
    }

    package var frameType: UInt16 {
        let type: FrameType =
            switch self {
            case .entered: .entered
            case .registered: .registered
            case .progress: .progress
            case .title: .title
            case .fetchInterval: .fetchInterval
            case .loadFailed: .loadFailed
            case .ffiMissing: .ffiMissing
            case .sandboxFailed: .sandboxFailed
            case .confined: .confined
            case .completed: .completed
            case .expirationHandler: .expirationHandler
            case .expiring: .expiring
            case .assertionBegan: .assertionBegan
            case .assertionEnded: .assertionEnded
            case .submit: .submit
            case .cancel: .cancel
            case .cancelAll: .cancelAll
            case .pending: .pending
            case .log: .log
            case .violation: .violation
            case .stopped: .stopped
            case .cursorWritten: .cursorWritten
            case .checkpoint: .checkpoint
            case .registerForPushes: .registerForPushes
            case .unregisterForPushes: .unregisterForPushes
            case .beginTransfer: .beginTransfer
            case .cancelTransfer: .cancelTransfer
            case .transfers: .transfers
            case .transferTaken: .transferTaken
            case .transferEnded: .transferEnded
            case .notificationContent: .notificationContent
            }
        return type.rawValue
    }

    package func putFields(into frame: inout FrameWriter) {
        switch self {
        case .entered(let status, let registered, let offersReceive, let cause):
            frame.put(status)
            frame.put(list: registered) { $0.put(text: $1.description) }
            frame.put(offersReceive)
            frame.put(cause)
        case .registered(let identifier):
            frame.put(text: identifier.description)
        case .progress(let task, let progress):
            frame.put(task)
            frame.put(progress.done)
            frame.put(progress.total)
        case .title(let task, let title, let subtitle):
            frame.put(task)
            frame.put(text: title)
            frame.put(subtitle)
        case .fetchInterval(let interval):
            frame.put(interval != nil)
            if let interval { frame.put(interval.wholeNanoseconds) }
        case .loadFailed(let message), .ffiMissing(let message), .sandboxFailed(let message):
            frame.put(text: message)
        case .completed(let task, let outcome, let message):
            frame.put(task)
            frame.put(outcome)
            frame.put(message)
        case .cursorWritten(let task, let number):
            frame.put(task)
            frame.put(number)
        case .checkpoint(let call, let task, let number):
            frame.put(call)
            frame.put(task)
            frame.put(number)
        case .expirationHandler(let task, let isSet):
            frame.put(task)
            frame.put(isSet)
        case .expiring(let tasks, let reason):
            frame.put(list: tasks) { $0.put($1) }
            frame.put(reason)
        case .assertionBegan(let assertion, let name):
            frame.put(assertion)
            frame.put(text: name)
        case .assertionEnded(let assertion):
            frame.put(assertion)
        case .submit(let call, let request, let payload):
            frame.put(call)
            frame.put(request)
            frame.put(bytes: payload)
        case .cancel(let call, let identifier):
            frame.put(call)
            frame.put(text: identifier.text)
        case .cancelAll(let call), .pending(let call), .registerForPushes(let call), .unregisterForPushes(let call):
            frame.put(call)
        case .beginTransfer(let call, let transfer, let earliestBegin, let expiresAt):
            frame.put(call)
            frame.put(transfer)
            frame.put(optional: earliestBegin)
            frame.put(optional: expiresAt)
        case .cancelTransfer(let call, let number):
            frame.put(call)
            frame.put(number)
        case .transfers(let call, let session):
            frame.put(call)
            frame.put(session?.text)
        case .transferTaken(let number):
            frame.put(number)
        case .transferEnded(let task, let end):
            frame.put(task)
            frame.put(end)
        case .notificationContent(let task, let json):
            frame.put(task)
            frame.put(bytes: json)
        case .log(let level, let task, let message):
            frame.put(level)
            frame.put(task != nil)
            if let task { frame.put(task) }
            frame.put(text: message)
        case .violation(let kind, let message):
            frame.put(text: kind.rawValue)
            frame.put(text: message)
        case .confined(let listener):
            frame.put(listener != nil)
            if let listener { frame.put(listener) }
        case .stopped:
            break
        }
    }

    package init(frameType: UInt16, fields: inout FrameReader) throws(WireError) {
        switch FrameType(rawValue: frameType) {
        case .entered:
            self = .entered(
                status: try fields.integer("entered.status"),
                registered: try fields.list("entered.registered", minimumSize: 4) { fields throws(WireError) in
                    try fields.name("entered.registered", PermittedIdentifier.init)
                },
                offersReceive: try fields.flag("entered.offersReceive"),
                cause: try fields.optionalText("entered.cause")
            )
        case .registered:
            self = .registered(try fields.name("registered.identifier", PermittedIdentifier.init))
        case .progress:
            let task: TaskID = try fields.value("progress.task")
            let (done, total): (Int64, Int64) = (
                try fields.integer("progress.done"), try fields.integer("progress.total")
            )
            guard let progress = TaskProgress(done: done, total: total) else {
                throw WireError(
                    code: .unknownValue,
                    message: "progress \(done) of \(total) is invalid: the total has to be at least 1, and the progress"
                        + " between 0 and the total"
                )
            }
            self = .progress(task, progress)
        case .title:
            self = .title(
                try fields.value("title.task"),
                try fields.text("title.title"),
                subtitle: try fields.optionalText("title.subtitle")
            )
        case .fetchInterval:
            self = .fetchInterval(
                try fields.flag("fetchInterval.isSet")
                    ? .nanoseconds(try fields.integer("fetchInterval.interval") as Int64) : nil
            )
        case .loadFailed:
            self = .loadFailed(message: try fields.text("loadFailed.message"))
        case .ffiMissing:
            self = .ffiMissing(message: try fields.text("ffiMissing.message"))
        case .sandboxFailed:
            self = .sandboxFailed(message: try fields.text("sandboxFailed.message"))
        case .confined:
            self = .confined(
                listener: try fields.flag("confined.hasListener") ? try fields.integer("confined.listener") : nil
            )
        case .completed:
            self = .completed(
                try fields.value("completed.task"),
                try fields.value("completed.outcome"),
                message: try fields.optionalText("completed.message")
            )
        case .cursorWritten:
            self = .cursorWritten(
                try fields.value("cursorWritten.task"),
                number: try fields.integer("cursorWritten.number")
            )
        case .checkpoint:
            self = .checkpoint(
                try fields.value("checkpoint.call"),
                try fields.value("checkpoint.task"),
                number: try fields.integer("checkpoint.number")
            )
        case .expirationHandler:
            self = .expirationHandler(
                try fields.value("expirationHandler.task"),
                isSet: try fields.flag("expirationHandler.isSet")
            )
        case .expiring:
            self = .expiring(try fields.tasks("expiring.tasks"), try fields.value("expiring.reason"))
        case .assertionBegan:
            self = .assertionBegan(
                try fields.value("assertionBegan.assertion"),
                name: try fields.text("assertionBegan.name")
            )
        case .assertionEnded:
            self = .assertionEnded(try fields.value("assertionEnded.assertion"))
        case .submit:
            self = .submit(
                try fields.value("submit.call"),
                try fields.request(),
                payload: try fields.bytes("submit.payload")
            )
        case .cancel:
            self = .cancel(
                try fields.value("cancel.call"),
                try fields.name("cancel.identifier", TaskIdentifier.init)
            )
        case .cancelAll:
            self = .cancelAll(try fields.value("cancelAll.call"))
        case .pending:
            self = .pending(try fields.value("pending.call"))
        case .registerForPushes:
            self = .registerForPushes(try fields.value("registerForPushes.call"))
        case .unregisterForPushes:
            self = .unregisterForPushes(try fields.value("unregisterForPushes.call"))
        case .beginTransfer:
            self = .beginTransfer(
                try fields.value("beginTransfer.call"),
                try fields.transfer(),
                earliestBegin: try fields.optionalTime("beginTransfer.earliestBegin"),
                expiresAt: try fields.optionalTime("beginTransfer.expiresAt")
            )
        case .cancelTransfer:
            self = .cancelTransfer(try fields.value("cancelTransfer.call"), try fields.value("cancelTransfer.number"))
        case .transfers:
            self = .transfers(
                try fields.value("transfers.call"),
                of: try fields.flag("transfers.hasSession")
                    ? try fields.name("transfers.session", TransferSession.init) : nil
            )
        case .transferTaken:
            self = .transferTaken(try fields.value("transferTaken.number"))
        case .transferEnded:
            self = .transferEnded(try fields.value("transferEnded.task"), try fields.transferEnd())
        case .notificationContent:
            self = .notificationContent(
                try fields.value("notificationContent.task"),
                try fields.bytes("notificationContent.json")
            )
        case .log:
            self = .log(
                try fields.value("log.level"),
                of: try fields.flag("log.hasTask") ? try fields.value("log.task") : nil,
                message: try fields.text("log.message")
            )
        case .violation:
            self = .violation(
                try fields.name("violation.kind", ViolationKind.init(rawValue:)),
                message: try fields.text("violation.message")
            )
        case .stopped:
            self = .stopped
        case nil:
            throw WireError(
                code: .unknownType,
                message: "the message has the type \(frameType), which no runner of this version sends"
            )
        }
    }
}
