// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Testing

@testable import SandboxPolicy

@Suite("Where Landlock does not confine truncation, the filter of system calls does")
struct TruncationTests {
    private static func filter(confined: Bool) throws -> FilterProgram {
        FilterProgram(
            try SystemCallRules.filter(
                sockets: .init(internet: .none, unix: false),
                processes: false,
                confinesTruncation: confined
            )
        )
    }

    /// Flags of an open call with their errno in a filter that confines truncation.
    private static let flags: [(Int32, Int32)] = [
        (O_RDONLY, 0), (O_RDWR | O_CREAT, 0), (O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0), (O_RDWR | O_TRUNC, 0),
        (O_ACCMODE, 0), (O_RDONLY | O_TRUNC, EPERM), (O_RDONLY | O_TRUNC | O_CLOEXEC, EPERM),
        (O_ACCMODE | O_TRUNC, EPERM),
    ]

    @Test func `the filter allows truncation by descriptor or open for writing, not by path or open for reading`()
        throws
    {
        let filter = try Self.filter(confined: false)
        #expect(try filter.errno("truncate") == EPERM)
        #expect(try filter.errno("ftruncate") == 0)
        for (flags, errno) in Self.flags {
            let argument = UInt64(UInt32(bitPattern: flags))
            #expect(try filter.errno("openat", 0, 0, argument) == errno, "flags \(flags)")
            #expect(try filter.errno("open", 0, argument) == errno, "flags \(flags)")
            // The kernel ignores the upper half of the argument.
            #expect(try filter.errno("openat", 0, 0, argument | 1 << 40) == errno, "flags \(flags)")
        }
    }

    @Test func `with a Landlock that confines truncation the filter allows truncate and O_TRUNC`() throws {
        let filter = try Self.filter(confined: true)
        for call in ["truncate", "ftruncate"] { #expect(try filter.errno(call) == 0) }
        for (flags, _) in Self.flags {
            #expect(try filter.errno("openat", 0, 0, UInt64(UInt32(bitPattern: flags))) == 0)
        }
    }

    @Test func `the filter answers clone3 with ENOSYS and ptrace with EPERM, and allows getpid`() throws {
        let filter = try Self.filter(confined: true)
        #expect(try filter.errno("clone3") == ENOSYS)
        #expect(try filter.errno("ptrace") == EPERM)
        #expect(try filter.errno("getpid") == 0)
    }
}
