// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Testing

@testable import SandboxPolicy

@Suite("No thread of a plugin gets a table of descriptors of its own")
struct DescriptorTableTests {
    /// The flags with which the C library creates a thread.
    private static let thread: UInt64 = 0x003d_0f00
    private static let sharedDescriptors: UInt64 = 0x400

    private static func filter(processes: Bool) throws -> FilterProgram {
        FilterProgram(
            try SystemCallRules.filter(
                sockets: .init(internet: .none, unix: false),
                processes: processes,
                confinesTruncation: true
            )
        )
    }

    @Test(arguments: [false, true])
    func `a thread shares the table of descriptors, also with the grant processes`(_ processes: Bool) throws {
        let filter = try Self.filter(processes: processes)
        #expect(try filter.errno("clone", Self.thread) == 0)
        #expect(try filter.errno("clone", Self.thread & ~Self.sharedDescriptors) == EPERM)
        #expect(try filter.errno("clone", Self.thread & ~Self.sharedDescriptors | 1 << 40) == EPERM)
        #expect(try filter.errno("unshare", Self.sharedDescriptors) == EPERM)
    }

    @Test func `with the grant processes a process may have a table of its own, and no namespace`() throws {
        let filter = try Self.filter(processes: true)
        let newNetwork: UInt64 = 0x4000_0000
        for flags in [UInt64(SIGCHLD), 0x4100 | UInt64(SIGCHLD)] {
            #expect(try filter.errno("clone", flags) == 0)
            #expect(try filter.errno("clone", flags | newNetwork) == EPERM)
            #expect(try Self.filter(processes: false).errno("clone", flags) == EPERM)
        }
    }

    @Test(arguments: [false, true])
    func `close_range is refused with the flag CLOSE_RANGE_UNSHARE, and otherwise allowed`(_ processes: Bool) throws {
        let filter = try Self.filter(processes: processes)
        for flags: UInt64 in [0, 4] { #expect(try filter.errno("close_range", 3, 9, flags) == 0) }
        for flags: UInt64 in [2, 6, 1 << 40 | 2] { #expect(try filter.errno("close_range", 3, 9, flags) == EPERM) }
    }
}
