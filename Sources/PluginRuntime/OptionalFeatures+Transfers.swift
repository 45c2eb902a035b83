// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import CTransferHost
import RunnerWire
import TaskModel

extension OptionalFeatures {
    nonisolated(unsafe) static let transfers = stored(
        bgt_transfers(
            size: HostTable.imitation.size(of: bgt_transfers.self),
            reserved: 0,
            begin: transferBegin,
            cancel: transferCancel,
            list: transferList,
            take: transferTake
        )
    )

    /// The table of the transfer library; nil in the launch of a plugin.
    static var transferLibraryTable: UnsafeRawPointer? {
        HostTable.launch?.plan.lane == .transfer ? UnsafeRawPointer(transferLibrary) : nil
    }

    nonisolated(unsafe) private static let transferLibrary = stored(
        bgt_transfer_library(
            size: UInt32(MemoryLayout<bgt_transfer_library>.size),
            reserved: 0,
            ended: transferEnded
        )
    )
}

private func transferBegin(
    _ host: UnsafePointer<bgt_host>,
    _ transfer: UnsafePointer<bgt_transfer>?,
    _ number: UnsafeMutablePointer<UInt64>?,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    number?.pointee = 0
    return HostTable.call(host) { launch in
        launch.answering(
            refusal,
            "begin",
            numbered: { () throws(CallProblem) -> UInt64 in
                let begun = UInt64(bitPattern: try launch.beginTransfer(transfer).rawValue)
                number?.pointee = begun
                return begun
            }
        )
    }
}

private func transferCancel(
    _ host: UnsafePointer<bgt_host>,
    _ number: UInt64,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "cancel") { () throws(CallProblem) in try launch.cancelTransfer(number) }
    }
}

private func transferList(
    _ host: UnsafePointer<bgt_host>,
    _ session: UnsafePointer<CChar>?,
    _ visitor: bgt_transfer_visitor?,
    _ context: UnsafeMutableRawPointer?,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { $0.visitTransfers(of: session, visitor, context, refusal) }
}

private func transferTake(
    _ host: UnsafePointer<bgt_host>,
    _ number: UInt64,
    _ place: UnsafePointer<CChar>?,
    _ flags: UInt32,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "take") { () throws(CallProblem) in
            try launch.takeTransfer(number, to: place, flags)
        }
    }
}

private func transferEnded(
    _ host: UnsafePointer<bgt_host>,
    _ task: bgt_task,
    _ end: UnsafePointer<bgt_transfer_end>?
) -> Int32 {
    HostTable.call(host) { $0.transferEnded(TaskID(rawValue: task), end) }
}
