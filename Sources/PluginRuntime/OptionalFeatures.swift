// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
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
        default: nil
        }
    }

    // Written once, on first use, and constant from then on.
    nonisolated(unsafe) private static let legacyFetch: UnsafePointer<bgt_legacy_fetch> = {
        let imitation = HostTable.imitation
        let table = UnsafeMutableRawPointer.allocate(
            byteCount: Int(imitation.size(of: bgt_legacy_fetch.self)),
            alignment: MemoryLayout<bgt_legacy_fetch>.alignment
        ).bindMemory(to: bgt_legacy_fetch.self, capacity: 1)
        table.initialize(
            to: bgt_legacy_fetch(
                size: imitation.size(of: bgt_legacy_fetch.self),
                reserved: 0,
                set_minimum_interval: legacyFetchSetMinimumInterval
            )
        )
        imitation.fillGrowth(behind: table)
        return UnsafePointer(table)
    }()
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
