// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc

/// The rules for calls whose permission depends on several excluded or several allowed numbers, which libseccomp cannot
/// express: instructions before those that it compiles.
///
/// - Only writes allocate the space of a file. The host counts written bytes to find the launch that fills
///   the disk, and the kernel counts no allocation without a write. The C library's `posix_fallocate` then writes.
/// - Attributes of a file stay as they are: an immutable file could not be deleted with its container.
/// - No lease delays another process that opens a file, and no other process gets the signals of a descriptor: with the
///   user of the host, the kernel permits both.
enum FileCallRules {
    /// Modes of fallocate that allocate nothing: to punch a hole, to remove a range, and to insert a hole.
    private static let modes: [UInt32] = [0x3, 0x8, 0x20]
    /// Requests by which ioctl changes the attributes of a file: FS_IOC_SETFLAGS, its variant for 32-bit programs, and
    /// FS_IOC_FSSETXATTR.
    private static let attributes: [UInt32] = [0x4008_6602, 0x4004_6602, 0x401c_5820]
    /// FIOSETOWN and SIOCSPGRP, by which ioctl names the receiver of a socket's signals.
    private static let owners: [UInt32] = [0x8901, 0x8902]
    /// F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, and F_SETDELEG of later kernels, a lease of a directory.
    private static let commands: [UInt32] = [8, 10, 15, 1_024, 1_026, 1_040]
    /// Requests by which ioctl allocates as well: FS_IOC_RESVSP, FS_IOC_RESVSP64, FS_IOC_ZERO_RANGE; and those of XFS
    /// before Linux 5.17, XFS_IOC_ALLOCSP, XFS_IOC_FREESP and their variants of 64 bits, which allocate up to an offset
    /// behind the end of the file.
    private static let allocations: [UInt32] = [
        0x4030_5828, 0x4030_582a, 0x4030_5839, 0x4030_580a, 0x4030_580b, 0x4030_5824, 0x4030_5825,
    ]

    /// An instruction of the kernel's `struct sock_filter`. Jumps have the number of instructions to skip.
    private struct Instruction {
        let code: UInt16
        var ifTrue: UInt8 = 0
        var ifFalse: UInt8 = 0
        let value: UInt32

        static func load(_ offset: UInt32) -> Instruction { Instruction(code: 0x20, value: offset) }
        static func answer(_ action: UInt32) -> Instruction { Instruction(code: 0x06, value: action) }
        static func skip(_ count: Int) -> Instruction { Instruction(code: 0x05, value: UInt32(count)) }
        static func compare(_ value: UInt32, ifTrue: Int, ifFalse: Int = 0) -> Instruction {
            Instruction(code: 0x15, ifTrue: UInt8(ifTrue), ifFalse: UInt8(ifFalse), value: value)
        }

        var bytes: [UInt8] {
            [UInt8(truncatingIfNeeded: code), UInt8(code >> 8), ifTrue, ifFalse]
                + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }

    // Offsets in the kernel's `struct seccomp_data`. All three calls have a second argument of 32 bits.
    private static let (number, architecture, secondArgument): (UInt32, UInt32, UInt32) = (0, 4, 24)

    /// The instructions, as an array of `struct sock_filter`. Calls that they do not refuse reach the instructions
    /// behind them.
    static var instructions: [UInt8] {
        let unsupported = Instruction.answer(bgs_refuse(EOPNOTSUPP))
        let refusal = Instruction.answer(bgs_refuse(EPERM))
        let fallocate =
            [.load(secondArgument)]
            + modes.enumerated().map { Instruction.compare($1, ifTrue: modes.count - $0) } + [unsupported]
        // Behind the comparisons: skip the answer, EPERM.
        let fcntl =
            [.load(secondArgument)]
            + commands.enumerated().map { Instruction.compare($1, ifTrue: commands.count - $0) } + [.skip(1), refusal]
        let unpermitted = attributes + owners
        let refused = unpermitted.count + allocations.count
        // Behind the comparisons: skip both answers, EPERM, EOPNOTSUPP.
        let ioctl =
            [.load(secondArgument)]
            + unpermitted.enumerated().map { Instruction.compare($1, ifTrue: refused - $0) }
            + allocations.enumerated().map { Instruction.compare($1, ifTrue: allocations.count + 1 - $0) }
            + [.skip(2), refusal, unsupported]
        let last = section("fallocate", fallocate, before: 0)
        let middle = section("fcntl", fcntl, before: last.count)
        let rules = section("ioctl", ioctl, before: middle.count + last.count) + middle + last
        let all =
            [.load(architecture), .compare(seccomp_arch_native(), ifTrue: 0, ifFalse: rules.count + 1), .load(number)]
            + rules
        return all.flatMap(\.bytes)
    }

    /// The instructions for one call. Another call continues behind them; this call skips the other sections.
    private static func section(_ call: String, _ body: [Instruction], before others: Int) -> [Instruction] {
        let number = UInt32(bitPattern: seccomp_syscall_resolve_name(call))
        let end = others > 0 ? [Instruction.skip(others)] : []
        return [.compare(number, ifTrue: 0, ifFalse: body.count + end.count)] + body + end
    }
}
