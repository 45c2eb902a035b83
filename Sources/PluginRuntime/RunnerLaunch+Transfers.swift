// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

// Background transfers of the plugin: the feature `bgtask.transfer/1`.
extension RunnerLaunch {
    func beginTransfer(_ address: UnsafePointer<bgt_transfer>?) throws(CallProblem) -> SubmissionNumber {
        try permitTransfers("begin")
        let transfer = try ForeignTransfer(address)
        let answer = calls.call {
            channel.send(
                .beginTransfer(
                    $0,
                    transfer.description,
                    earliestBegin: transfer.earliestBegin,
                    expiresAt: transfer.expiresAt
                )
            )
        }
        switch answer {
        case .transferBegun(let number): return number
        case .refused(let refusal): throw CallProblem(refusal)
        case .submitted, .cancelled, .pending, .cursorStored, .pushToken, .transfers:
            throw Self.foreignAnswer(to: "begin")
        case nil: throw Self.ended("begin")
        }
    }

    func cancelTransfer(_ number: UInt64) throws(CallProblem) {
        try permitTransfers("cancel")
        let number = SubmissionNumber(rawValue: Int64(bitPattern: number))
        try cancelled(calls.call { channel.send(.cancelTransfer($0, number)) }, "cancel")
    }

    /// Visits the transfers until the visitor returns a status other than `BGT_OK`, which is then the result.
    func visitTransfers(
        of session: UnsafePointer<CChar>?,
        _ visitor: bgt_transfer_visitor?,
        _ context: UnsafeMutableRawPointer?,
        _ refusal: UnsafeMutablePointer<bgt_refusal>?
    ) -> Int32 {
        var last = BGT_OK
        let status = answering(refusal, "list") { () throws(CallProblem) -> Void in
            try permitTransfers("list")
            guard let visitor else {
                throw CallProblem(status: BGT_INVALID, message: "visitor: NULL; pass a function")
            }
            let session = session == nil ? nil : try ForeignTransfer.session(session)
            for transfer in try transfers(of: session) where last == BGT_OK {
                last = visit(transfer, visitor, context)
            }
        }
        return status == BGT_OK ? last : status
    }

    func transfers(of session: TransferSession?) throws(CallProblem) -> [ListedTransfer] {
        switch calls.call(isList: true, { channel.send(.transfers($0, of: session)) }) {
        case .transfers(let transfers):
            let files = transfers.compactMap { transfer in transfer.file.map { (transfer.number, $0) } }
            transferFiles.withLock { $0.merge(files) { $1 } }
            return transfers
        case .refused(let refusal): throw CallProblem(refusal)
        case .submitted, .cancelled, .pending, .cursorStored, .pushToken, .transferBegun:
            throw Self.foreignAnswer(to: "list")
        case nil: throw Self.ended("list")
        }
    }

    private func visit(
        _ transfer: ListedTransfer,
        _ visitor: bgt_transfer_visitor,
        _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        let texts = TransferMemory(transfer)
        defer { texts.free() }
        var info = bgt_transfer_info()
        info.size = plan.imitation.size(of: bgt_transfer_info.self)
        info.kind = transfer.direction.rawValue
        info.state = transfer.state.rawValue
        info.http_status = UInt32(clamping: transfer.httpStatus ?? 0)
        info.number = UInt64(bitPattern: transfer.number.rawValue)
        info.session = texts.session
        info.url = texts.url
        info.label = texts.label
        info.code = texts.code
        info.file = texts.file
        info.bytes = transfer.bytes
        info.total = transfer.total ?? 0
        return plan.imitation.withCopy(of: info) { copy in
            ThreadRole.with(.pendingVisitor) { visitor(context, HostTable.address, copy) }
        }
    }

    /// Throws in a visitor, in an extension, and after the end of the launch.
    func permitTransfers(_ call: StaticString) throws(CallProblem) {
        try permit(call)
        guard plan.role == .main else {
            throw CallProblem(
                status: BGT_WRONG_ROLE,
                message: "\(call): an extension has no transfers; begin and take them in its main plugin"
            )
        }
    }
}

/// The strings of a transfer while a visitor receives it.
private struct TransferMemory {
    let session: UnsafePointer<CChar>
    let url: UnsafePointer<CChar>
    let label: UnsafePointer<CChar>?
    let code: UnsafePointer<CChar>?
    let file: UnsafePointer<CChar>?

    init(_ transfer: ListedTransfer) {
        session = UnsafePointer(transfer.session.text.stored())
        url = UnsafePointer(transfer.url.stored())
        label = transfer.label.map { UnsafePointer($0.stored()) }
        code = transfer.fault.map { UnsafePointer($0.name.stored()) }
        file = transfer.file.map { UnsafePointer($0.stored()) }
    }

    func free() {
        for text in [session, url, label, code, file].compactMap(\.self) { text.deallocate() }
    }
}
