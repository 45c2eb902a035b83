// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Testing

@testable import SandboxPolicy

@Suite("A plugin allocates by writing alone, changes no attribute of a file, takes no lease and passes on no authority")
struct FileCallTests {
    private static func filter() throws -> FilterProgram {
        FilterProgram(
            try SystemCallRules.filter(
                sockets: .init(internet: .none, unix: false),
                processes: false,
                confinesTruncation: true
            )
        )
    }

    /// Modes of fallocate with the errno of the filter: plain, keep the size, punch a hole, remove a range, zero a
    /// range, zero it and keep the size, insert a hole, unshare, a hole without the flag that the kernel requires with
    /// it, and a hole combined with a removal.
    private static let modes: [(mode: UInt64, errno: Int32)] = [
        (0, EOPNOTSUPP), (1, EOPNOTSUPP), (3, 0), (8, 0), (0x10, EOPNOTSUPP), (0x11, EOPNOTSUPP), (0x20, 0),
        (0x41, EOPNOTSUPP), (2, EOPNOTSUPP), (0xb, EOPNOTSUPP),
    ]

    @Test func `fallocate is answered with EOPNOTSUPP, except for valid modes that allocate nothing`() throws {
        let filter = try Self.filter()
        for (mode, errno) in Self.modes {
            #expect(try filter.errno("fallocate", 5, mode, 0, 1 << 30) == errno, "mode \(mode)")
            // The kernel ignores the upper half of the argument.
            #expect(try filter.errno("fallocate", 5, mode | 1 << 40) == errno, "mode \(mode)")
        }
    }

    @Test func `the filter refuses ioctl requests for attributes, signal receivers and allocations, and allows others`()
        throws
    {
        let filter = try Self.filter()
        // FS_IOC_SETFLAGS, its variant for 32-bit programs, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, EXT4_IOC_SETVERSION,
        // FAT_IOCTL_SET_ATTRIBUTES; FIOSETOWN, SIOCSPGRP.
        for request: UInt64 in [
            0x4008_6602, 0x4004_6602, 0x401c_5820, 0x4008_7602, 0x4008_6604, 0x4004_7211, 0x8901, 0x8902,
        ] {
            #expect(try filter.errno("ioctl", 5, request) == EPERM, "request \(request)")
            #expect(try filter.errno("ioctl", 5, request | 1 << 40) == EPERM, "request \(request)")
        }
        // FS_IOC_RESVSP, FS_IOC_RESVSP64, FS_IOC_ZERO_RANGE; XFS_IOC_ALLOCSP, XFS_IOC_FREESP and their 64-bit variants.
        for request: UInt64 in [
            0x4030_5828, 0x4030_582a, 0x4030_5839, 0x4030_580a, 0x4030_580b, 0x4030_5824, 0x4030_5825,
        ] {
            #expect(try filter.errno("ioctl", 5, request) == EOPNOTSUPP, "request \(request)")
            #expect(try filter.errno("ioctl", 5, request | 1 << 40) == EOPNOTSUPP, "request \(request)")
        }
        // TCGETS, FIONREAD, FIONBIO, FIOCLEX, FIOGETOWN, SIOCGIFCONF, FIGETBSZ, FS_IOC_GETVERSION, FS_IOC_FSGETXATTR,
        // FS_IOC_UNRESVSP64, DRM_IOCTL_VERSION.
        for request: UInt64 in [
            0x5401, 0x541b, 0x5421, 0x5451, 0x8903, 0x8912, 2, 0x8008_7601, 0x801c_581f, 0x4030_582b, 0xc040_6400,
        ] {
            #expect(try filter.errno("ioctl", 5, request) == 0, "request \(request)")
        }
    }

    @Test func `ioctl refuses requests of single file systems, except clones of contents and requests that only read`()
        throws
    {
        let filter = try Self.filter()
        // BTRFS_IOC_SUBVOL_CREATE, BTRFS_IOC_SNAP_DESTROY, BTRFS_IOC_SNAP_CREATE_V2, BTRFS_IOC_SUBVOL_SETFLAGS;
        // FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_ADD_ENCRYPTION_KEY, FS_IOC_ENABLE_VERITY; OCFS2_IOC_REFLINK,
        // BCH_IOCTL_SUBVOLUME_CREATE, F2FS_IOC_SET_PIN_FILE.
        for request: UInt64 in [
            0x5000_940e, 0x5000_940f, 0x5000_9417, 0x4008_941a, 0x800c_6613, 0xc050_6617, 0x4080_6685, 0x4018_6f04,
            0x4020_bc10, 0x4004_f50d,
        ] {
            #expect(try filter.errno("ioctl", 5, request) == EPERM, "request \(request)")
            #expect(try filter.errno("ioctl", 5, request | 1 << 40) == EPERM, "request \(request)")
        }
        // FICLONE, FICLONERANGE, FIDEDUPERANGE, FS_IOC_FIEMAP, FS_IOC_GETFLAGS, FS_IOC_GET_ENCRYPTION_POLICY_EX,
        // FS_IOC_MEASURE_VERITY, FS_IOC_GETFSLABEL.
        for request: UInt64 in [
            0x4004_9409, 0x4020_940d, 0xc018_9436, 0xc020_660b, 0x8008_6601, 0xc009_6616, 0xc004_6686, 0x8100_9431,
        ] {
            #expect(try filter.errno("ioctl", 5, request) == 0, "request \(request)")
        }
    }

    @Test func `fcntl refuses leases, notifications and receivers of signals, and allows every other command`() throws {
        let filter = try Self.filter()
        // F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETDELEG.
        for command: UInt64 in [8, 10, 15, 1_024, 1_026, 1_040] {
            #expect(try filter.errno("fcntl", 5, command, 1) == EPERM, "command \(command)")
            // The kernel ignores the upper half of the argument.
            #expect(try filter.errno("fcntl", 5, command | 1 << 40) == EPERM, "command \(command)")
        }
        // F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_GETOWN, F_GETSIG, F_GETOWN_EX,
        // F_OFD_SETLK, F_GETLEASE, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_ADD_SEALS.
        for command: UInt64 in [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 16, 37, 1_025, 1_030, 1_031, 1_033] {
            #expect(try filter.errno("fcntl", 5, command) == 0, "command \(command)")
        }
    }

    @Test func `the filter refuses set-user-ID and set-group-ID bits, and allows every other mode of a file`() throws {
        let filter = try Self.filter()
        let create = UInt64(O_CREAT | O_WRONLY)
        // O_TMPFILE.
        let nameless = UInt64(O_RDWR | O_DIRECTORY) | 0x40_0000
        for mode: UInt64 in [0o4755, 0o2755, 0o6000, 0o7777] {
            #expect(try filter.errno("fchmod", 5, mode) == EPERM && filter.errno("creat", 0, mode) == EPERM)
            // The kernel ignores the upper half of the argument.
            #expect(try filter.errno("fchmod", 5, mode | 1 << 40) == EPERM)
            for flags in [create, nameless, create | 1 << 40] {
                #expect(try filter.errno("openat", 0, 0, flags, mode) == EPERM, "mode \(mode)")
                #expect(try filter.errno("open", 0, flags, mode) == EPERM, "mode \(mode)")
            }
            // The kernel ignores the mode of a call that creates no file.
            #expect(try filter.errno("openat", 0, 0, UInt64(O_RDWR | O_DIRECTORY), mode) == 0)
            #expect(try filter.errno("open", 0, 0, mode) == 0)
        }
        for mode: UInt64 in [0, 0o600, 0o777, 0o1777, 0o644 | 1 << 40] {
            #expect(try filter.errno("fchmod", 5, mode) == 0 && filter.errno("creat", 0, mode) == 0)
            #expect(try filter.errno("openat", 0, 0, create, mode) == 0 && filter.errno("open", 0, create, mode) == 0)
        }
        // Its mode is behind a pointer.
        #expect(try filter.errno("openat2") == ENOSYS)
    }

    @Test func `the filter allows write and ftruncate, answers chmod with EPERM, and seccomp and clone3 with ENOSYS`()
        throws
    {
        let filter = try Self.filter()
        #expect(try filter.errno("write") == 0 && filter.errno("ftruncate") == 0)
        // A filter of the plugin could answer the refused calls in the place of the host.
        #expect(try filter.errno("seccomp") == ENOSYS)
        #expect(try filter.errno("chmod") == EPERM && filter.errno("clone3") == ENOSYS)
    }
}
