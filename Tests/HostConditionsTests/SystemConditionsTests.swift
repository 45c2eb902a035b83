// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import StatementTraits
import Synchronization
import TaskModel
import Testing

@testable import HostConditions

@Suite(
    "Changed conditions are reported, and unwatched conditions are not sampled",
    .timeLimit(.minutes(10))
)
struct SystemConditionsTests {
    private let tree: FileTree

    init() throws {
        tree = try FileTree()
        try tree.directory("sys/class")
        try tree.directory("dev")
        try tree.write("proc/stat", "cpu  1 0 0 5000 0 0 0 0 0 0\ncpu0 0 0 0 0\n")
        try tree.write("proc/self/mountinfo", "22 1 254:0 / / rw - ext4 /dev/vda rw\n")
    }

    @Test func `the report of conditions after the start has an origin for every condition`() async throws {
        let conditions = try Watching(tree.roots, configured: .init([.network: false])).conditions
        let report = conditions.report
        #expect(Set(report.origins.keys) == Set(Condition.allCases))
        #expect(report.holds(.externalPower) && !report.holds(.gpu))
        #expect(report.origins[.network]?.source == .configuration)
        #expect(report.origins[.hot]?.source == .unwatched)
        await conditions.close()
    }

    @Test func `a graphics device that appears is reported as a changed condition`() async throws {
        let watching = try Watching(tree.roots)
        let conditions = watching.conditions
        try tree.write("dev/kfd", "")
        let report = try #require(await watching.reports.first { _ in true })
        #expect(report.conditions.resources == .gpu)
        #expect(conditions.report.holds(.gpu))
        await conditions.close()
    }

    @Test func `a script of conditions takes effect at once, is reported once, and can be withdrawn`() async throws {
        let watching = try Watching(tree.roots)
        let conditions = watching.conditions
        var reported = watching.reports.makeAsyncIterator()
        #expect(conditions.script { $0.values[.externalPower] = false }.holds(.externalPower) == false)
        #expect(await reported.next()?.holds(.externalPower) == false)
        // An unchanged value is not reported.
        _ = conditions.script { $0.values[.externalPower] = false }
        _ = conditions.script { $0.values[.lowMemory] = true }
        #expect(await reported.next()?.holds(.lowMemory) == true)
        #expect(
            conditions.script { $0 = .init() }.origins[.externalPower]?.source
                == .sensor(
                    path: tree.path + "/sys/class/power_supply",
                    detail: "no battery"
                )
        )
        #expect(await reported.next()?.holds(.externalPower) == true)
        await conditions.close()
    }

    @Test func `a quiet machine is reported as idle only while idleness is watched`() async throws {
        var thresholds = ConditionThresholds()
        thresholds.sampleInterval = .milliseconds(10)
        thresholds.idleAfter = .milliseconds(30)
        let watching = try Watching(tree.roots, thresholds)
        let conditions = watching.conditions
        var reported = watching.reports.makeAsyncIterator()
        conditions.watch([.idle])
        #expect(await reported.next()?.conditions.isIdle == true)
        conditions.watch([])
        #expect(await reported.next()?.conditions.isIdle == false)
        #expect(conditions.report.origins[.idle]?.source == .unwatched)
        await conditions.close()
    }

    @Test func `a locked container is reported only while it is watched`() async throws {
        let study = try #require(PluginIdentifier("com.example.study"))
        try tree.write("containers/com.example.study", "no directory")
        let watching = try Watching(tree.roots)
        let conditions = watching.conditions
        var reported = watching.reports.makeAsyncIterator()
        let containers = WatchedContainers(directory: tree.path + "/containers", plugins: [study])
        conditions.watch([], containers: containers)
        #expect(await reported.next()?.conditions.containerLocks == [study: true])
        conditions.watch([])
        #expect(await reported.next()?.conditions.containerLocks == [:])
        await conditions.close()
    }

    @Test(.proves("C16")) func `without watched conditions the sensor loop waits without a timeout`() throws {
        let wakeChannel = Descriptor(owning: Machine.wakeChannel())
        let loop = try ConditionsLoop(SystemRoots(), ConditionThresholds(), LaunchUsage { nil }, wokenBy: wakeChannel)
        #expect(loop.timeout == nil)
    }

    @Test func `a condition that the configuration fixes is never sampled`() {
        let board = ConditionsBoard(
            Readings(),
            configured: .init([.idle: false, .hot: false]),
            wakeChannel: Descriptor(owning: Machine.wakeChannel()),
            onEvent: { _ in }
        )
        board.watch(.init(conditions: Condition.sampled))
        #expect(board.watch.conditions == Condition.sampled.subtracting([.idle, .hot]))
    }

    @Test func `samples that are due within a tenth of a second share one wake-up`() {
        let now = MonotonicTime.now
        let samples = [now + .milliseconds(90), now + .seconds(5), now, now + .milliseconds(101)]
        #expect(ConditionsLoop.wakeTime(of: samples) == now + .milliseconds(90))
        #expect(ConditionsLoop.wakeTime(of: []) == nil)
    }

    @Test func `every condition has a sensor`() throws {
        let wakeChannel = Descriptor(owning: Machine.wakeChannel())
        let loop = try ConditionsLoop(SystemRoots(), ConditionThresholds(), LaunchUsage { nil }, wokenBy: wakeChannel)
        #expect(Set(loop.readings.conditions.keys) == Set(Condition.allCases))
    }

    @Test func `after the condition sensors are closed, a GPU device that appears is not reported`() async throws {
        let count = Mutex(0)
        let roots = tree.roots
        let conditions = try SystemConditions(roots: roots, launchUsage: LaunchUsage { nil }) { _ in
            count.withLock { $0 += 1 }
        }
        await conditions.close()
        await conditions.close()
        try tree.write("dev/kfd", "")
        #expect(count.withLock(\.self) == 0)
        #expect(!conditions.report.holds(.gpu))
    }

    @Test func `each of this machine's conditions is measured, unwatched, or missing with a reason`() async throws {
        let conditions = try SystemConditions(launchUsage: .processTree(of: Machine.pid)) { _ in }
        for (condition, origin) in conditions.report.origins {
            switch origin.source {
            case .sensor(let path, let detail): #expect(!path.isEmpty && !detail.isEmpty)
            case .missing(let why): #expect(!why.isEmpty && !origin.holds)
            case .unwatched: #expect(Condition.sampled.contains(condition))
            case .scripted, .configuration: Issue.record("no script and no configuration sets \(condition)")
            }
        }
        await conditions.close()
    }
}
