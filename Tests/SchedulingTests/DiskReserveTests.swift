// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The disk of the containers keeps a reserve, and the launch that used it up is ended")
struct DiskReserveTests {
    private let host = SchedulerDriver(.app(), .mail())

    private static let gibi: Int64 = 1 << 30

    /// A disk of 100 GiB with 1,000,000 inodes, whose reserve is 1 GiB and 50,000 inodes.
    private func disk(free: Int64 = 50 << 30, inodes: Int64 = 500_000) -> DiskSpace {
        DiskSpace(bytes: 100 << 30, freeBytes: free, inodes: 1_000_000, freeInodes: inodes)
    }

    /// - Parameter lost: the number of bytes and the number of inodes that the disk has lost since the previous sample.
    private func sample(_ disk: DiskSpace, lost: Int64 = 0, _ uses: [LaunchNumber: DiskUse] = [:]) {
        host.send(.diskSampled(DiskSample(disk, lostBytes: lost, lostInodes: lost, uses: uses)))
    }

    /// The bytes that a launch has written since the previous sample.
    private func wrote(_ bytes: Int64?) -> DiskUse { DiskUse(written: bytes) }

    // MARK: - The reserve

    @Test func `the reserve is the configured size, at most 5 percent of the disk, and 0 disables it`() {
        var reserve = DiskReserve()
        #expect(reserve.shortage(of: disk(free: Self.gibi)) == nil)
        #expect(reserve.shortage(of: disk(free: Self.gibi - 1)) == .bytes(free: Self.gibi - 1, reserve: Self.gibi))
        let small = DiskSpace(bytes: 1_000, freeBytes: 49)
        #expect(reserve.shortage(of: small) == .bytes(free: 49, reserve: 50))
        #expect(reserve.shortage(of: DiskSpace(bytes: 1_000, freeBytes: 50)) == nil)
        reserve.most = 0
        #expect(reserve.shortage(of: DiskSpace(bytes: 1_000, freeBytes: 0, inodes: 100, freeInodes: 0)) == nil)
    }

    @Test func `the reserve of inodes is 5 percent, at most 65536, and none on a file system that reports no inodes`() {
        let reserve = DiskReserve()
        #expect(reserve.shortage(of: disk(inodes: 50_000)) == nil)
        #expect(reserve.shortage(of: disk(inodes: 49_999)) == .inodes(free: 49_999, reserve: 50_000))
        let large = DiskSpace(bytes: 100, freeBytes: 50, inodes: 1 << 40, freeInodes: 65_535)
        #expect(reserve.shortage(of: large) == .inodes(free: 65_535, reserve: 65_536))
        #expect(reserve.shortage(of: DiskSpace(bytes: 100, freeBytes: 50)) == nil)
    }

    // MARK: - Waiting

    @Test func `background work waits while the disk lacks its reserve, and runs when the reserve is free again`() {
        sample(disk(free: 1_000))
        host.submit(.clean)
        #expect(host.reasons(.clean) == [.diskReserve(.bytes(free: 1_000, reserve: Self.gibi))])
        sample(disk(inodes: 7))
        #expect(host.reasons(.clean) == [.diskReserve(.inodes(free: 7, reserve: 50_000))])
        #expect(host.plans.isEmpty)
        sample(disk())
        #expect(host.batches == [[.clean]])
    }

    @Test func `transfers of two plugins wait while the disk lacks its reserve, and run when it is free`() throws {
        let host = SchedulerDriver.forTransfers()
        host.install(.downloader(), .main(.mail, permitted: [.exact(.inbox)], grants: Grants(network: true)))
        host.send(.diskSampled(DiskSample(disk(free: 1_000))))
        for plugin in [PluginIdentifier.app, .mail] {
            let number = try #require(host.download(by: plugin)?.submission)
            #expect(host.reasons(.transfer(number, of: plugin)).map(\.code) == ["disk-reserve"])
        }
        #expect(host.transferPlan == nil)
        host.send(.diskSampled(DiskSample(disk())))
        let launched = host.plans.filter { $0.lane == .transfer }.map(\.plugin.identifier)
        #expect(launched.count == 2 && Set(launched) == [.app, .mail])
    }

    @Test func `a launch of transfers is not ended for the reserve, and leaves an eighth more than it`() throws {
        let host = SchedulerDriver.forTransfers { $0.transfers.diskBytes = 100 << 30 }
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        let plan = try #require(host.transferPlan)
        #expect(plan.transferTerms[number]?.reserve == Self.gibi + Self.gibi / 8)
        for free in [Self.gibi - 1, Self.gibi / 2 - 1] {
            let uses = [plan.number: wrote(5 << 30)]
            host.send(.diskSampled(DiskSample(disk(free: free), lostBytes: 5 << 30, uses: uses)))
        }
        #expect(host.expirations.isEmpty && host.killed.isEmpty && host.entries(.violation).isEmpty)
    }

    @Test func `transfers leave the reserve of a small disk, and nothing on a disk without a reserve`() {
        var reserve = DiskReserve()
        #expect(reserve.leftByTransfers(onDiskOf: 16_000) == 900)
        #expect(reserve.leftByTransfers(onDiskOf: nil) == Self.gibi + Self.gibi / 8)
        reserve.most = 0
        #expect(reserve.leftByTransfers(onDiskOf: 16_000) == 0)
    }

    @Test func `a launch that a user requests runs while the disk lacks its reserve`() {
        sample(disk(free: 1_000))
        host.submit(.clean)
        host.requestRun(of: .clean)
        #expect(host.batches == [[.clean]])
    }

    // MARK: - The launch that is ended

    /// Two launches that run their tasks: of `.clean` and of `.inbox`.
    private func launchBoth() throws -> (own: LaunchPlan, other: LaunchPlan) {
        host.submit(.clean)
        let own = try #require(host.lastPlan)
        host.enter(own)
        host.submit(.inbox, by: .user)
        let other = try #require(host.lastPlan)
        host.enter(other)
        return (own, other)
    }

    @Test func `the launch that wrote most is expired with a violation, and killed at the end of its grace period`()
        throws
    {
        let (own, other) = try launchBoth()
        let uses = [own.number: wrote(5 << 30), other.number: wrote(1 << 30)]
        sample(disk(free: Self.gibi - 1), lost: 6 << 30, uses)
        let violation = try #require(host.entries(.violation).last)
        #expect(violation.launch == own.number && violation.blame == .plugin)
        #expect(violation.message.contains("wrote \(5 << 30) bytes") && violation.message.contains("is expired"))
        #expect(host.expirations.map(\.tasks) == [[.clean]] && host.killed.isEmpty)
        host.advance(by: own.budget.gracePeriod)
        #expect(host.killed == [own.number])
        #expect(host.outcomes(of: .clean) == [.expired] && host.lastEntry(of: .clean)?.blame == .plugin)
        #expect(host.outcomes(of: .inbox).isEmpty)
    }

    @Test
    func `a launch that was expired for the reserve is killed at once when less than half of the reserve is free`()
        throws
    {
        let (own, other) = try launchBoth()
        let uses = [own.number: wrote(5 << 30), other.number: wrote(1 << 30)]
        sample(disk(free: Self.gibi - 1), lost: 6 << 30, uses)
        #expect(host.killed.isEmpty)
        sample(disk(free: Self.gibi / 2 - 1), lost: Self.gibi / 2, uses)
        #expect(host.killed == [own.number] && host.outcomes(of: .clean) == [.expired])
        #expect(host.lastLaunchEntry?.message.contains("it used up the reserve of the disk") == true)
    }

    @Test func `a shortage of inodes ends the launch that created most files, however many bytes another one wrote`()
        throws
    {
        let (own, other) = try launchBoth()
        let uses = [own.number: wrote(5 << 30), other.number: DiskUse(written: 0, created: 300_000)]
        sample(disk(inodes: 10), lost: 400_000, uses)
        #expect(host.killed == [other.number] && host.outcomes(of: .inbox) == [.expired])
        let violation = try #require(host.entries(.violation).last)
        #expect(violation.message.contains("created at least 300000 files"))
        #expect(host.outcomes(of: .clean).isEmpty)
    }

    /// Samples without evidence against a launch: the bytes that the disk lost, and those that the two launches wrote.
    private static let unexplained: [(lost: Int64, own: Int64?, other: Int64?)] = [
        // Nothing is known about the launches.
        (5 << 30, nil, nil),
        // Another program wrote more than the launches together.
        (10 << 30, 2 << 30, 1 << 30),
        // The launches wrote elsewhere: the disk lost nothing.
        (0, 50 << 30, 1 << 30),
        // The disk lost less than an eighth of the reserve.
        (100 << 20, 100 << 20, 0),
    ]

    @Test(arguments: unexplained)
    func `without evidence against a launch no launch is ended and no plugin is blamed`(
        _ sampled: (lost: Int64, own: Int64?, other: Int64?)
    ) throws {
        let (own, other) = try launchBoth()
        let uses = [own.number: wrote(sampled.own), other.number: wrote(sampled.other)]
        sample(disk(free: 0), lost: sampled.lost, uses)
        #expect(host.killed.isEmpty && host.expirations.isEmpty && host.entries(.violation).isEmpty)
    }

    @Test func `bytes written before a shortage do not count against a launch; those of all samples within it add up`()
        throws
    {
        let (own, _) = try launchBoth()
        sample(disk(), lost: 5 << 30, [own.number: wrote(5 << 30)])
        let part: Int64 = 100 << 20
        sample(disk(free: Self.gibi - part), lost: part, [own.number: wrote(part)])
        #expect(host.entries(.violation).isEmpty)
        sample(disk(free: Self.gibi - 2 * part), lost: part, [own.number: wrote(part)])
        let violation = try #require(host.entries(.violation).last)
        #expect(violation.launch == own.number && violation.message.contains("wrote \(2 * part) bytes"))
    }

    @Test
    func `the reason disk-reserve names the plugin whose launch was ended for the shortage, until the shortage ends`()
        throws
    {
        host.submit(.inbox, by: .user)
        let plan = try #require(host.lastPlan)
        host.enter(plan)
        sample(disk(free: Self.gibi / 4), lost: 5 << 30, [plan.number: wrote(5 << 30)])
        #expect(host.killed == [plan.number])
        host.submit(.clean, after: .seconds(3_600))
        let reason = Reason.diskReserve(.bytes(free: Self.gibi / 4, reserve: Self.gibi), usedUpBy: .mail)
        #expect(host.reasons(.clean).contains(reason))
        #expect(reason.message.contains("com.example.mail") && reason.remedy.contains("com.example.mail"))
        sample(disk())
        sample(disk(free: 1_000))
        #expect(host.reasons(.clean).contains(.diskReserve(.bytes(free: 1_000, reserve: Self.gibi))))
    }

    // MARK: - Counters and free space that change at different times

    @Test
    func `a launch is blamed for a full disk if its written bytes are counted up to half a minute after the loss`()
        throws
    {
        let (own, other) = try launchBoth()
        sample(disk(free: Self.gibi / 2), lost: 2 << 30, [own.number: wrote(0), other.number: wrote(0)])
        host.advance(by: .seconds(20))
        let part: Int64 = 1 << 30
        sample(disk(free: Self.gibi / 2), [own.number: wrote(part / 2), other.number: wrote(0)])
        #expect(host.entries(.violation).isEmpty)
        host.advance(by: .seconds(8))
        sample(disk(free: Self.gibi / 2), [own.number: wrote(part), other.number: wrote(0)])
        let violation = try #require(host.entries(.violation).last)
        #expect(violation.launch == own.number && violation.message.contains("wrote \(part + part / 2) bytes"))
    }

    @Test
    func `a launch is blamed for a full disk if its written bytes are counted 20 seconds before the disk loses them`()
        throws
    {
        let (own, other) = try launchBoth()
        sample(disk(free: Self.gibi - 1), [own.number: wrote(2 << 30), other.number: wrote(0)])
        #expect(host.entries(.violation).isEmpty)
        host.advance(by: .seconds(20))
        sample(disk(free: Self.gibi / 2), lost: Self.gibi / 2, [own.number: wrote(0), other.number: wrote(0)])
        let violation = try #require(host.entries(.violation).last)
        #expect(violation.launch == own.number && violation.message.contains("wrote \(Self.gibi / 2) bytes"))
    }

    @Test func `a launch that writes 90 seconds before or after another program fills the disk is not blamed`()
        throws
    {
        host.submit(.clean)
        let plan = try #require(host.lastPlan)
        host.enter(plan)
        let own = plan.number
        sample(disk(free: Self.gibi - 1), [own: wrote(2 << 30)])
        host.advance(by: .seconds(90))
        sample(disk(free: Self.gibi / 2), lost: Self.gibi / 2, [own: wrote(0)])
        host.advance(by: .seconds(90))
        sample(disk(free: Self.gibi / 2), [own: wrote(2 << 30)])
        #expect(host.entries(.violation).isEmpty && host.killed.isEmpty && host.expirations.isEmpty)
    }

    @Test func `a launch that begins after the disk lost its reserve is not blamed for that loss`() throws {
        host.submit(.clean)
        let own = try #require(host.lastPlan)
        host.enter(own)
        sample(disk(free: Self.gibi / 2), lost: 5 << 30, [own.number: wrote(0)])
        host.submit(.inbox, by: .user)
        host.requestRun(of: .inbox)
        let other = try #require(host.lastPlan)
        #expect(other.number != own.number)
        host.enter(other)
        sample(disk(free: Self.gibi / 2), [own.number: wrote(0), other.number: wrote(5 << 30)])
        #expect(host.entries(.violation).isEmpty && host.killed.isEmpty)
    }

    @Test func `after the end of a launch another one is ended only when it uses up a further part of the reserve`()
        throws
    {
        let (own, other) = try launchBoth()
        let uses = [own.number: wrote(5 << 30), other.number: wrote(4 << 30)]
        sample(disk(free: Self.gibi / 4), lost: 9 << 30, uses)
        #expect(host.killed == [own.number])
        for _ in 1...3 { sample(disk(free: Self.gibi / 4), [other.number: wrote(4 << 30)]) }
        #expect(host.killed == [own.number])
        sample(disk(free: Self.gibi / 9), lost: Self.gibi / 8, [other.number: wrote(Self.gibi / 8)])
        #expect(host.killed == [own.number, other.number])
    }

    @Test func `a launch that fills the disk before its entry function returns is killed, and its task is charged`()
        throws
    {
        host.submit(.clean)
        let plan = try #require(host.lastPlan)
        sample(disk(free: Self.gibi - 1), lost: 5 << 30, [plan.number: wrote(5 << 30)])
        #expect(host.killed == [plan.number] && host.outcomes(of: .clean) == [.entryFailed])
        #expect(host.lastLaunchEntry?.message.contains("used up the reserve of the disk") == true)
        #expect(host.request(.clean)?.retry.attempts == 1)
    }
}
