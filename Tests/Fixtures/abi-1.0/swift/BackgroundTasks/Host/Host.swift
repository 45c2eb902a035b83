// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation
import Synchronization

/// The host of this process, accessed through its table of C functions.
// Unchecked: the table is valid until the process ends and may be used from any thread (BGT-ABI-08).
struct Host: @unchecked Sendable {
    /// The status that a call of the host returned.
    struct Status: RawRepresentable, Hashable {
        let rawValue: Int32

        static let ok = Self(rawValue: BGT_OK)
        static let unavailable = Self(rawValue: BGT_UNAVAILABLE)
        static let tooManyPending = Self(rawValue: BGT_TOO_MANY_PENDING)
        static let notPermitted = Self(rawValue: BGT_NOT_PERMITTED)
        static let immediateRunIneligible = Self(rawValue: BGT_IMMEDIATE_RUN_INELIGIBLE)
        static let notOffered = Self(rawValue: BGT_NOT_OFFERED)
        static let invalid = Self(rawValue: BGT_INVALID)
        static let wrongPhase = Self(rawValue: BGT_WRONG_PHASE)
        static let duplicate = Self(rawValue: BGT_DUPLICATE)
        static let unregistered = Self(rawValue: BGT_UNREGISTERED)
        static let ended = Self(rawValue: BGT_ENDED)
        static let notFound = Self(rawValue: BGT_NOT_FOUND)
        static let wrongKind = Self(rawValue: BGT_WRONG_KIND)
        static let alreadyCompleted = Self(rawValue: BGT_ALREADY_COMPLETED)
        static let noSuchTask = Self(rawValue: BGT_NO_SUCH_TASK)
    }

    private static let entered = Mutex<Host?>(nil)

    /// The host of this process; nil outside of a host.
    static var current: Host? { entered.withLock { $0 } }

    let table: UnsafePointer<bgt_host>

    static func enter(_ table: UnsafePointer<bgt_host>) -> Host {
        let host = Host(table: table)
        entered.withLock { $0 = host }
        return host
    }

    /// Forgets the host with this table, unless the process has entered another one since.
    static func leave(_ table: UnsafePointer<bgt_host>) {
        entered.withLock { if $0?.table == table { $0 = nil } }
    }

    /// The reason why a call failed, for log messages: the name of the status. Before it the meaning of the status, if
    /// that is the same for every call.
    func cause(of status: Status) -> String {
        let name = String(cString: bgt_status_name(table, status.rawValue))
        return switch status {
        case .ended: "the launch has ended (\(name))"
        case .invalid: "the identifier is malformed (\(name))"
        case .notPermitted: "the manifest does not permit the identifier (\(name))"
        case .unavailable: "the host could not record or answer the call (\(name))"
        default: name
        }
    }

    func log(_ level: BackgroundPlugin.LogLevel, _ message: String) { bgt_log(table, level.rawValue, message) }

    /// Nanoseconds left of the launch's budget; nil without a fixed budget.
    var remaining: UInt64? {
        let remaining = bgt_remaining(table)
        return remaining == UInt64.max ? nil : remaining
    }

    func register(_ identifier: String, _ handler: LaunchHandler) -> Status {
        let status = bgt_register_with_release(
            table,
            identifier,
            { context, table, task in
                guard let context else { return }
                Unmanaged<LaunchHandler>.fromOpaque(context).takeUnretainedValue().take(task, from: Host(table: table))
            },
            // The host owns this reference until it calls release, also when this call fails.
            Unmanaged.passRetained(handler).toOpaque(),
            { context in
                if let context { Unmanaged<LaunchHandler>.fromOpaque(context).release() }
            }
        )
        return Status(rawValue: status)
    }
}
