// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc

/// The rules for calls whose permission depends on several excluded or several allowed numbers, which libseccomp cannot
/// express: instructions before those that it compiles.
///
/// - Only writes allocate the space of a file. The host counts written bytes to find the launch that fills
///   the disk, and the kernel counts no allocation without a write. The C library's `posix_fallocate` then writes.
/// - Attributes of a file stay as they are: an immutable file could not be deleted with its container. Neither can a
///   plugin encrypt a directory or seal a file that it may only read.
/// - No subvolume, snapshot or clone is made or deleted by a request of one file system: Landlock does not examine it.
/// - No lease delays another process that opens a file, and no other process gets the signals of a descriptor: with the
///   user of the host, the kernel permits both.
/// - No file gets the set-user-ID or set-group-ID bit: another user who executes it would get the authority of the
///   plugin's user, without the sandbox.
enum FileCallRules {
    /// Modes of fallocate that allocate nothing: to punch a hole, to remove a range, and to insert a hole.
    private static let modes: [UInt32] = [0x3, 0x8, 0x20]
    /// Requests by which ioctl changes the attributes of a file: FS_IOC_FSSETXATTR, FS_IOC_SETVERSION and
    /// FAT_IOCTL_SET_ATTRIBUTES.
    private static let attributes: [UInt32] = [0x401c_5820, 0x4008_7602, 0x4004_7211]
    /// Types of requests that belong to file systems, in bits 8 to 15 of a request: ext4 with attributes, encryption
    /// and verity, ocfs2, btrfs, bcachefs, f2fs. Only `permitted` requests of these types are allowed.
    private static let fileSystems: [UInt32] = [0x6600, 0x6f00, 0x9400, 0xbc00, 0xf500]
    /// FICLONE, FICLONERANGE, FIDEDUPERANGE; FS_IOC_FIEMAP; and requests that only read: FS_IOC_GETFLAGS, its variant
    /// for 32-bit programs, EXT4_IOC_GETVERSION, FS_IOC_GET_ENCRYPTION_POLICY, FS_IOC_GET_ENCRYPTION_POLICY_EX,
    /// FS_IOC_GET_ENCRYPTION_KEY_STATUS, FS_IOC_GET_ENCRYPTION_NONCE, FS_IOC_MEASURE_VERITY,
    /// FS_IOC_READ_VERITY_METADATA, FS_IOC_GETFSLABEL.
    private static let permitted: [UInt32] = [
        0x4004_9409, 0x4020_940d, 0xc018_9436, 0xc020_660b, 0x8008_6601, 0x8004_6601, 0x8008_6603, 0x400c_6615,
        0xc009_6616, 0xc080_661a, 0x8010_661b, 0xc004_6686, 0xc028_6687, 0x8100_9431,
    ]
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

    /// S_ISUID and S_ISGID.
    private static let identityBits: UInt32 = 0o6000
    /// O_CREAT and the bit of O_TMPFILE. Without them the kernel ignores the mode of an open call.
    private static let creation: UInt32 = 0x40 | 0x40_0000

    /// An instruction of the kernel's `struct sock_filter`. Jumps have the number of instructions to skip.
    private struct Instruction {
        let code: UInt16
        var ifTrue: UInt8 = 0
        var ifFalse: UInt8 = 0
        let value: UInt32

        static func load(_ offset: UInt32) -> Instruction { Instruction(code: 0x20, value: offset) }
        static func select(_ mask: UInt32) -> Instruction { Instruction(code: 0x54, value: mask) }
        static func answer(_ action: UInt32) -> Instruction { Instruction(code: 0x06, value: action) }
        static func skip(_ count: Int) -> Instruction { Instruction(code: 0x05, value: UInt32(count)) }
        /// Skips instructions unless the number has one of the bits.
        static func require(_ bits: UInt32, orSkip count: Int) -> Instruction {
            Instruction(code: 0x45, ifFalse: UInt8(count), value: bits)
        }
        static func compare(_ value: UInt32, ifTrue: Int, ifFalse: Int = 0) -> Instruction {
            Instruction(code: 0x15, ifTrue: UInt8(ifTrue), ifFalse: UInt8(ifFalse), value: value)
        }

        var bytes: [UInt8] {
            [UInt8(truncatingIfNeeded: code), UInt8(code >> 8), ifTrue, ifFalse]
                + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }

    // Offsets in the kernel's `struct seccomp_data`.
    private static let (number, architecture): (UInt32, UInt32) = (0, 4)

    /// Loads the lower half of an argument, which is all that the kernel uses of the examined arguments.
    private static func argument(_ index: UInt32) -> Instruction { .load(16 + 8 * index) }

    /// The instructions, as an array of `struct sock_filter`. Calls that they do not refuse reach the instructions
    /// behind them.
    static var instructions: [UInt8] {
        let rules = sections.reversed().reduce(into: [Instruction]()) { rules, next in
            rules = section(next.call, next.body, before: rules.count) + rules
        }
        let all =
            [.load(architecture), .compare(seccomp_arch_native(), ifTrue: 0, ifFalse: rules.count + 1), .load(number)]
            + rules
        return all.flatMap(\.bytes)
    }

    /// The examined calls, each with the instructions for it.
    private static var sections: [(call: String, body: [Instruction])] {
        let unsupported = Instruction.answer(bgs_refuse(EOPNOTSUPP))
        return [
            ("ioctl", [argument(1)] + requests + [.skip(2), refusal, unsupported]),
            ("fcntl", [argument(1)] + compare(commands, behind: 1) + [.skip(1), refusal]),
            ("fallocate", [argument(1)] + compare(modes, behind: 1) + [unsupported]),
            ("openat", creating(flags: 2, mode: 3)), ("open", creating(flags: 1, mode: 2)),
            ("creat", setting(mode: 1)), ("fchmod", setting(mode: 1)),
        ]
    }

    private static var refusal: Instruction { .answer(bgs_refuse(EPERM)) }

    /// Refuses a mode with a set-user-ID or set-group-ID bit.
    private static func setting(mode: UInt32) -> [Instruction] {
        [argument(mode), .require(identityBits, orSkip: 1), refusal]
    }

    /// Refuses such a mode in an open call that creates a file.
    private static func creating(flags: UInt32, mode: UInt32) -> [Instruction] {
        let body = setting(mode: mode)
        return [argument(flags), .require(creation, orSkip: body.count)] + body
    }

    /// The comparisons of a request of ioctl. Three instructions follow: skip both answers, EPERM, EOPNOTSUPP.
    private static var requests: [Instruction] {
        let types = [.select(0xff00)] + compare(fileSystems, behind: 1)
        let exempt = compare(permitted, behind: types.count) + types
        let allocating = compare(allocations, behind: exempt.count + 2) + exempt
        return compare(attributes + owners, behind: allocating.count + 1) + allocating
    }

    /// Comparisons of the loaded number with values. An equal one skips to the instruction with the index `place`
    /// behind the comparisons.
    private static func compare(_ values: [UInt32], behind place: Int) -> [Instruction] {
        values.enumerated().map { Instruction.compare($1, ifTrue: values.count - 1 - $0 + place) }
    }

    /// The instructions for the system call named `call`: it runs `body`, and then skips the sections of the other
    /// calls. Any other call skips `body`.
    ///
    /// - Parameter others: number of instructions in the sections that follow this one.
    private static func section(_ call: String, _ body: [Instruction], before others: Int) -> [Instruction] {
        let number = UInt32(bitPattern: seccomp_syscall_resolve_name(call))
        let end = others > 0 ? [Instruction.skip(others)] : []
        return [.compare(number, ifTrue: 0, ifFalse: body.count + end.count)] + body + end
    }
}
