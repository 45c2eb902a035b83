// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import SandboxPolicy
import TaskModel
import Testing

@testable import HostService

@Suite("A sample has what the disk lost and what each launch wrote since the previous measurement")
struct DiskMeterTests {
    private let first = LaunchNumber(rawValue: 1)
    private let second = LaunchNumber(rawValue: 2)

    private func disk(_ free: Int64, inodes: Int64 = 0) -> DiskSpace {
        DiskSpace(bytes: 1_000, freeBytes: free, inodes: 1_000, freeInodes: inodes)
    }

    @Test func `the first sample of a disk has no changes, and the next one has the changes since the first`() {
        var meter = DiskMeter()
        let start = meter.sample(disk(900, inodes: 50), written: [first: 700])
        #expect(start == DiskSample(disk(900, inodes: 50), uses: [first: DiskUse(written: nil)]))
        let next = meter.sample(disk(600, inodes: 20), written: [first: 1_000, second: 40], created: [second: 9])
        let uses = [first: DiskUse(written: 300), second: DiskUse(written: 40, created: 9)]
        #expect(next == DiskSample(disk(600, inodes: 20), lostBytes: 300, lostInodes: 30, uses: uses))
    }

    @Test func `a disk that gained space has lost nothing, and a counter that decreased has grown by nothing`() {
        var meter = DiskMeter()
        _ = meter.sample(disk(100, inodes: 1), written: [first: 700])
        let next = meter.sample(disk(600, inodes: 20), written: [first: 500])
        #expect(next == DiskSample(disk(600, inodes: 20), uses: [first: DiskUse(written: 0)]))
    }

    @Test func `after the written bytes of a launch fall, only their growth above the highest value counts`() {
        var meter = DiskMeter()
        let samples: [Int64] = [1_000, 400, 900, 1_200]
        let grown = samples.map { meter.sample(disk(100), written: [first: $0]).uses[first]?.written }
        #expect(grown == [nil, 0, 0, 200])
    }

    @Test func `in the first sample of a disk after a pause the written bytes of a launch are unknown`() throws {
        let gauge = DiskGauge(directory: "/tmp", groups: nil, reserve: DiskReserve())
        let written = try (1...3).map { number in
            if number == 3 { gauge.pause() }
            return try #require(try gauge.read([first: getpid()], [:]).get().uses[first]).written
        }
        #expect(written[0] == nil && written[1] != nil && written[2] == nil)
    }

    @Test func `a launch whose container grew by more than the counted bytes has written the growth of its container`()
    {
        var meter = DiskMeter()
        _ = meter.sample(disk(900), written: [first: 10], occupied: [first: 5_000])
        let idle = meter.sample(disk(900), written: [first: 10])
        let next = meter.sample(disk(500), written: [first: 30, second: 7], occupied: [first: 5_400, second: 600])
        #expect(idle.uses == [first: DiskUse(written: 0)])
        #expect(next.uses == [first: DiskUse(written: 400), second: DiskUse(written: 7)])
        let shrunk = meter.sample(disk(400), written: [first: 31, second: 7], occupied: [first: 100, second: 650])
        #expect(shrunk.uses == [first: DiskUse(written: 1), second: DiskUse(written: 50)])
    }

    @Test func `growth of a container between two shortages of the disk does not count as written in the second one`() {
        var meter = DiskMeter()
        _ = meter.sample(disk(100), written: [first: 10], occupied: [first: 100])
        meter.forgetContents()
        _ = meter.sample(disk(900), written: [first: 500])
        let second = meter.sample(disk(90), written: [first: 500], occupied: [first: 590])
        #expect(second.uses == [first: DiskUse(written: 0)])
        let third = meter.sample(disk(80), written: [first: 500], occupied: [first: 600])
        #expect(third.uses == [first: DiskUse(written: 10)])
    }

    @Test func `the written bytes of a launch are unknown if this or the previous measurement lacks them`() {
        var meter = DiskMeter()
        _ = meter.sample(disk(100), written: [first: nil, second: 5])
        let next = meter.sample(disk(50), written: [first: 500, second: nil])
        #expect(next.uses == [first: DiskUse(written: nil), second: DiskUse(written: nil)])
    }
}

@Suite("The guarantee of the disk names the source of written bytes, or the reason why there is none")
struct DiskWatchingTests {
    private func watching(
        ownUsers: Bool = true,
        traces: Bool = false,
        _ controllers: Set<String>?,
        uncounted: String? = nil
    ) -> LimitMechanisms.DiskWatching {
        LimitMechanisms.DiskWatching(
            hasOwnUsers: ownUsers,
            tracesOthers: traces,
            controllers: controllers,
            uncounted: uncounted
        )
    }

    @Test
    func `written bytes come from the counters of processes where the host may read them, else from control groups`() {
        #expect(watching(ownUsers: false, nil) == .attributed(source: "/proc/PID/io"))
        #expect(watching(traces: true, nil) == .attributed(source: "/proc/PID/io"))
        #expect(watching(["memory", "io"]) == .attributed(source: "control group (io.stat)"))
    }

    @Test
    func `without CAP_SYS_PTRACE and control groups with io, written bytes of plugins with own users have no source`() {
        for (found, cause) in [
            (watching(nil), "Delegate=yes"), (watching(["memory"]), "Delegate=yes"),
            (watching(["io"], uncounted: "its device is no disk"), "its device is no disk"),
        ] {
            guard case .unattributed(let reason) = found else { Issue.record("\(found)"); continue }
            #expect(reason.contains("CAP_SYS_PTRACE") && reason.contains(cause))
        }
    }
}
