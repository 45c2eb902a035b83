// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel
import Testing

@testable import HostConditions

@Suite("Memory is low from the kernel's notification until its pressure is over", .serialized, .timeLimit(.minutes(10)))
struct MemoryTests {
    private let tree: FileTree
    private let thresholds = ConditionThresholds()

    init() throws { tree = try FileTree() }

    private func pressure(_ average: Double) throws {
        let line = "avg10=\(average) avg60=0.00 avg300=0.00 total=1234"
        try tree.write("proc/pressure/memory", "some \(line)\nfull \(line)\n")
    }

    private func isLow(_ sensor: MemorySensor) -> Bool? { sensor.reading(.lowMemory)?.holds }

    @Test func `memory is low at once after the kernel's notification, and sampled only until the pressure is over`()
        throws
    {
        try pressure(0)
        let sensor = MemorySensor(tree.roots, thresholds)
        #expect(isLow(sensor) == false)
        #expect(sensor.nextSample == nil)

        try pressure(1.8)
        sensor.listen(at: .seconds(100))
        #expect(isLow(sensor) == true)
        #expect(sensor.nextSample == .seconds(102))
        sensor.sample(at: .seconds(102))
        #expect(isLow(sensor) == true)
        #expect(sensor.nextSample == .seconds(104))

        try pressure(0.9)
        sensor.sample(at: .seconds(104))
        #expect(isLow(sensor) == false)
        #expect(sensor.nextSample == nil)
    }

    @Test func `without pressure information the memory condition is reported as missing, with the absent file`() throws
    {
        let sensor = MemorySensor(tree.roots, thresholds)
        guard case .missing(let why) = sensor.reading(.lowMemory) else { return #expect(Bool(false), "it is guessed") }
        #expect(why == "cannot read \(tree.path)/proc/pressure/memory: No such file or directory")
        #expect(sensor.awaited == nil)
        sensor.sample(at: .seconds(1))
        #expect(sensor.nextSample == nil && isLow(sensor) == false)
    }

    @Test func `a pressure file that cannot be polled makes the memory condition missing`() throws {
        try pressure(50)
        let sensor = MemorySensor(tree.roots, thresholds)
        let waits = try WaitSet(wokenBy: Descriptor(owning: Machine.wakeChannel()))
        #expect(throws: SystemError.self) { try waits.set(sensor.awaited, at: 0) }
        sensor.cannotWait(SystemError(number: EPERM, attempt: "wait"))
        #expect(sensor.reading(.lowMemory)?.isMissing == true)
        #expect(sensor.awaited == nil)
    }

    @Test func `a pressure file that becomes unreadable makes the memory condition missing`() throws {
        try pressure(5)
        let sensor = MemorySensor(tree.roots, thresholds)
        sensor.listen(at: .seconds(1))
        try tree.write("proc/pressure/memory", "nonsense")
        sensor.sample(at: .seconds(3))
        #expect(sensor.reading(.lowMemory)?.isMissing == true)
        #expect(sensor.nextSample == nil)
    }

    @Test(arguments: [
        "", "some", "some avg10", "some avg10=x total=1", "some avg10=1.0", "full avg10=1.0 total=1",
        "some avg10=nan total=1", "some avg10=1 total=-1", "some avg10=1 total=99999999999999999999",
        "some ==== total=1",
    ])
    func `malformed memory pressure files are not parsed`(text: String) {
        #expect(PressureReading(parsing: text) == nil)
    }

    @Test func `a memory pressure file in the kernel's format is parsed`() {
        let reading = PressureReading(
            parsing:
                "some avg10=1.94 avg60=3.50 avg300=22.56 total=287836881\nfull avg10=9.00 avg60=0 avg300=0 total=0\n"
        )
        #expect(reading?.average == 1.94)
        #expect(reading?.total == .microseconds(287_836_881))
    }

    @Test(.enabled(if: MemoryGroup.isAllowed, "scarce memory takes root, pressure information and a memory controller"))
    func `a process short of memory makes the kernel notify the memory sensor`() async throws {
        var thresholds = thresholds
        thresholds.memoryStall = .milliseconds(1)
        thresholds.memoryInterval = .milliseconds(10)
        // Regardless of the average, the pressure is over with the next sample.
        thresholds.memoryClearPercent = 101
        let watching = try Watching(SystemRoots(), thresholds)
        #expect(watching.conditions.report.origins[.lowMemory]?.isMeasured == true)
        let group = try MemoryGroup(megabytes: 16)
        var isLow = watching.reports.map(\.conditions.isMemoryLow).filter(\.self).makeAsyncIterator()
        // Repeatedly: the kernel decides how long a process waits for memory.
        let reading = Task { while !Task.isCancelled { await group.readsMoreThanItHolds() } }
        #expect(await isLow.next() == true)
        reading.cancel()
        await reading.value
        await watching.conditions.close()
    }
}
