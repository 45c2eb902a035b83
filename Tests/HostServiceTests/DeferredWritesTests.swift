// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostService

@Suite("Written bytes that the free space of a disk may still contain are settled before they hide a shortage")
struct DeferredWritesTests {
    private let first = LaunchNumber(rawValue: 1)
    private let second = LaunchNumber(rawValue: 2)
    /// A disk of 32,000 bytes has a reserve of 1,600.
    private let reserve = DiskReserve()

    private func isHidden(_ writes: DeferredWrites, free: Int64) -> Bool {
        writes.mayHideShortage(of: DiskSpace(bytes: 32_000, freeBytes: free), under: reserve)
    }

    @Test func `a shortage may be hidden once the free space minus the written bytes is less than the reserve`() {
        var writes = DeferredWrites()
        writes.add([first: 300, second: 100])
        #expect(!isHidden(writes, free: 2_000) && isHidden(writes, free: 1_999))
        writes.add([first: 300, second: 101])
        #expect(isHidden(writes, free: 2_000))
    }

    @Test func `written bytes below a sixteenth of the reserve hide no shortage, even on a disk without free space`() {
        var writes = DeferredWrites()
        writes.add([first: 99])
        #expect(!isHidden(writes, free: 1_600) && !isHidden(writes, free: 0))
        writes.add([first: 100])
        #expect(isHidden(writes, free: 1_600) && isHidden(writes, free: 0))
    }

    @Test func `after a settlement only the bytes that launches write later count`() {
        var writes = DeferredWrites()
        writes.add([first: 5_000])
        writes.settle()
        writes.add([first: 5_000])
        #expect(!isHidden(writes, free: 1_600))
        writes.add([first: 5_100])
        #expect(isHidden(writes, free: 1_600))
    }

    @Test func `the bytes of an ended launch count until the settlement`() {
        var writes = DeferredWrites()
        writes.add([first: 400])
        writes.add([:])
        #expect(isHidden(writes, free: 1_999))
        writes.settle()
        #expect(!isHidden(writes, free: 1_999))
    }

    @Test func `a total that falls counts only above its highest value, and an unknown total as nothing`() {
        var writes = DeferredWrites()
        writes.add([first: 5_000, second: nil])
        writes.settle()
        writes.add([first: 100])
        writes.add([first: 5_050])
        #expect(!isHidden(writes, free: 1_600))
    }

    @Test func `without a reserve written bytes hide no shortage, even if their sum exceeds the range of integers`() {
        var writes = DeferredWrites()
        writes.add([first: .max, second: .max])
        #expect(isHidden(writes, free: 32_000))
        var none = DiskReserve()
        none.most = 0
        #expect(!writes.mayHideShortage(of: DiskSpace(bytes: 32_000, freeBytes: 0), under: none))
    }
}
