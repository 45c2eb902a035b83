// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import TaskModel

/// The tables of the optional features, which `query` returns (BGT-ABI-19). They are valid until the process ends.
enum OptionalFeatures {
    /// The address of a feature's table; nil for an unknown id.
    static func table(of id: String) -> UnsafeRawPointer? {
        switch id {
        case BGTASK_LEGACY_FETCH: UnsafeRawPointer(legacyFetch)
        default: nil
        }
    }

    // Written once, on first use, and constant from then on.
    nonisolated(unsafe) private static let legacyFetch: UnsafePointer<bgt_legacy_fetch> = {
        let table = UnsafeMutablePointer<bgt_legacy_fetch>.allocate(capacity: 1)
        table.initialize(
            to: bgt_legacy_fetch(
                size: UInt32(MemoryLayout<bgt_legacy_fetch>.size),
                reserved: 0,
                set_minimum_interval: legacyFetchSetMinimumInterval
            )
        )
        return UnsafePointer(table)
    }()
}

private func legacyFetchSetMinimumInterval(
    _ host: UnsafePointer<bgt_host>,
    _ seconds: UInt64,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call { launch in
        launch.answering(refusal, "set_minimum_interval") { () throws(CallProblem) in
            try launch.setMinimumFetchInterval(seconds)
        }
    }
}
