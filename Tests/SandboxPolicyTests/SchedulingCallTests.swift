// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Testing

@testable import SandboxPolicy

@Suite("A plugin changes the priority of no thread")
struct SchedulingCallTests {
    private static let process: UInt64 = 0
    private static let others: [UInt64] = [1, 2]

    private static func filter() throws -> FilterProgram {
        FilterProgram(
            try SystemCallRules.filter(
                sockets: .init(internet: .none, unix: false),
                processes: false,
                confinesTruncation: true
            )
        )
    }

    @Test(arguments: [-20, -4, -2, 0, 2, 10, 19])
    func `setpriority for the calling thread succeeds without effect`(_ nice: Int32) throws {
        let filter = try Self.filter()
        // Either form of an int in a register.
        for value in [UInt64(UInt32(bitPattern: nice)), UInt64(bitPattern: Int64(nice))] {
            #expect(try filter.ignores("setpriority", Self.process, 0, value))
        }
    }

    @Test func `setpriority for another process, a group or a user is refused with EPERM`() throws {
        let filter = try Self.filter()
        #expect(try filter.errno("setpriority", Self.process, 1, 19) == EPERM)
        for kind in Self.others {
            #expect(try filter.errno("setpriority", kind, 0, 19) == EPERM)
            #expect(try filter.errno("setpriority", kind, 1_000, 19) == EPERM)
        }
    }

    @Test func `ioprio_set allows the lowest best-effort priority and the idle ones, with no other bit`() throws {
        let filter = try Self.filter()
        let (realTime, bestEffort, idle): (UInt64, UInt64, UInt64) = (0x2000, 0x4000, 0x6000)
        let allowed: [UInt64] = [bestEffort + 7, idle, idle + 4, idle + 7]
        for priority in allowed { #expect(try filter.errno("ioprio_set", 1, 0, priority) == 0, "\(priority)") }
        // No class, real time, best effort; hints of the device; the kernel ignores the bits from 16 on.
        let others: [UInt64] = [
            0, 4, realTime, bestEffort, bestEffort + 6, bestEffort + 8, bestEffort + 0x1fff, idle + 8,
        ]
        let upper: [UInt64] = [0x1_0000, 0x8000_0000, 0x1_0000_0000, 0x8000_0000_0000_0000]
        for priority in others { #expect(try filter.errno("ioprio_set", 1, 0, priority) == EPERM, "\(priority)") }
        for bit in upper {
            for priority in allowed + others {
                #expect(try filter.errno("ioprio_set", 1, 0, priority | bit) == EPERM, "\(priority) \(bit)")
            }
        }
        let targets: [(kind: UInt64, process: UInt64)] = [(1, 5), (2, 0), (3, 0), (0x1_0000_0001, 0)]
        for (kind, process) in targets {
            #expect(try filter.errno("ioprio_set", kind, process, bestEffort + 7) == EPERM)
        }
    }

    @Test func `calls that change the scheduling policy are refused with EPERM, and getpriority is allowed`() throws {
        let filter = try Self.filter()
        for call in ["sched_setscheduler", "sched_setparam", "sched_setattr"] {
            #expect(try filter.errno(call) == EPERM, "\(call)")
        }
        #expect(try filter.errno("getpriority") == 0 && !filter.ignores("getpriority"))
    }
}
