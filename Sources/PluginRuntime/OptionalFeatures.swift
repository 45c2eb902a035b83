// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import CTransferHost
import Glibc
import RunnerWire
import TaskModel

/// The tables of the optional features, which `query` returns (BGT-ABI-19). They are valid until the process ends.
enum OptionalFeatures {
    /// The address of a feature's table; nil for an unknown id, and on an imitated host without features.
    static func table(of id: String) -> UnsafeRawPointer? {
        if HostTable.imitation.contains(.noFeatures) { return nil }
        return switch id {
        case BGTASK_LEGACY_FETCH: UnsafeRawPointer(legacyFetch)
        case BGTASK_CURSOR: UnsafeRawPointer(cursors)
        case BGTASK_PUSH: UnsafeRawPointer(pushes)
        case BGTASK_TRANSFER: UnsafeRawPointer(transfers)
        case BGT_TRANSFER_LIBRARY: transferLibraryTable
        case BGTASK_NOTIFICATION: UnsafeRawPointer(notifications)
        default: nil
        }
    }

    // Written once, on first use, and constant from then on.
    nonisolated(unsafe) private static let legacyFetch = stored(
        bgt_legacy_fetch(
            size: HostTable.imitation.size(of: bgt_legacy_fetch.self),
            reserved: 0,
            set_minimum_interval: legacyFetchSetMinimumInterval
        )
    )

    nonisolated(unsafe) private static let cursors = stored(
        bgt_cursors(
            size: HostTable.imitation.size(of: bgt_cursors.self),
            reserved: 0,
            read: cursorRead,
            checkpoint: cursorCheckpoint,
            discard: cursorDiscard
        )
    )

    nonisolated(unsafe) private static let pushes = stored(
        bgt_pushes(
            size: HostTable.imitation.size(of: bgt_pushes.self),
            reserved: 0,
            register_plugin: pushRegister,
            unregister_plugin: pushUnregister
        )
    )

    nonisolated(unsafe) private static let notifications = stored(
        bgt_notifications(
            size: HostTable.imitation.size(of: bgt_notifications.self),
            reserved: 0,
            set_content: notificationSetContent
        )
    )

    /// A copy of the table with the size that the table of this host has, never freed.
    static func stored<Table>(_ value: Table) -> UnsafePointer<Table> {
        let imitation = HostTable.imitation
        let table = UnsafeMutableRawPointer.allocate(
            byteCount: Int(imitation.size(of: Table.self)),
            alignment: MemoryLayout<Table>.alignment
        ).bindMemory(to: Table.self, capacity: 1)
        table.initialize(to: value)
        imitation.fillGrowth(behind: table)
        return UnsafePointer(table)
    }
}

private func legacyFetchSetMinimumInterval(
    _ host: UnsafePointer<bgt_host>,
    _ seconds: UInt64,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "set_minimum_interval") { () throws(CallProblem) in
            try launch.setMinimumFetchInterval(seconds)
        }
    }
}

private func cursorRead(
    _ host: UnsafePointer<bgt_host>,
    _ task: bgt_task,
    _ info: UnsafeMutablePointer<bgt_cursor_info>?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: UInt64
) -> Int32 {
    HostTable.call(host) { $0.readCursor(of: TaskID(rawValue: task), info, buffer, capacity) }
}

private func cursorCheckpoint(
    _ host: UnsafePointer<bgt_host>,
    _ task: bgt_task,
    _ cursor: UnsafePointer<UInt8>?,
    _ length: UInt64,
    _ flags: UInt32,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "checkpoint") { () throws(CallProblem) in
            try launch.checkpoint(TaskID(rawValue: task), cursor, length, flags)
        }
    }
}

private func cursorDiscard(
    _ host: UnsafePointer<bgt_host>,
    _ task: bgt_task,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "discard") { () throws(CallProblem) in
            try launch.discardCursor(of: TaskID(rawValue: task))
        }
    }
}

private func pushRegister(
    _ host: UnsafePointer<bgt_host>,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: UInt64,
    _ needed: UnsafeMutablePointer<UInt64>?,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "register_plugin") { () throws(CallProblem) in
            try launch.registerForPushes(buffer, capacity, needed)
        }
    }
}

private func pushUnregister(
    _ host: UnsafePointer<bgt_host>,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "unregister_plugin") { () throws(CallProblem) in
            try launch.unregisterForPushes()
        }
    }
}

private func notificationSetContent(
    _ host: UnsafePointer<bgt_host>,
    _ task: bgt_task,
    _ json: UnsafePointer<CChar>?,
    _ length: UInt64,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "set_content") { () throws(CallProblem) in
            try launch.setNotificationContent(of: TaskID(rawValue: task), json, length)
        }
    }
}
