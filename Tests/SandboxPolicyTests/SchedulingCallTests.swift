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

    @Test func `calls that change the scheduling policy are refused with EPERM, and getpriority is allowed`() throws {
        let filter = try Self.filter()
        for call in ["sched_setscheduler", "sched_setparam", "sched_setattr"] {
            #expect(try filter.errno(call) == EPERM, "\(call)")
        }
        #expect(try filter.errno("getpriority") == 0 && !filter.ignores("getpriority"))
    }
}
