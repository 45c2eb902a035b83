// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite("Load is the use of the machine by programs other than the host's launches")
struct LoadReadingTests {
    private func reading(
        all: Double,
        own: Double? = nil,
        stall: (all: Double, own: Double?)? = nil,
        processors: Int = 2
    ) -> LoadReading? {
        func sample(_ at: Double, _ share: Double) -> LoadSample {
            LoadSample(
                at: .seconds(at),
                processors: processors,
                machine: UsageReading(
                    processorTime: .seconds(1_000 + all * share),
                    processorStall: stall.map { .seconds(50 + $0.all * share) }
                ),
                launches: own.map {
                    UsageReading(
                        processorTime: .seconds(10 + $0 * share),
                        processorStall: stall?.own.map { .seconds(5 + $0 * share) }
                    )
                }
            )
        }
        return LoadReading(from: sample(100, 0), to: sample(110, 1))
    }

    @Test(.proves("C16")) func `processor time of launches is subtracted from the load`() {
        #expect(reading(all: 10)?.share == 0.5)
        #expect(reading(all: 10, own: 8)?.share == 0.1)
        #expect(reading(all: 10, own: 8)?.launchesShare == 0.4)
    }

    @Test func `inconsistent processor clocks give a load between 0 and 1`() {
        #expect(reading(all: 10, own: 12)?.share == 0)
        #expect(reading(all: 50)?.share == 1)
        #expect(reading(all: -5)?.share == 0)
        #expect(reading(all: 4, own: -3)?.share == 0.2)
    }

    @Test(.proves("C16"))
    func `processor pressure caused by launches is subtracted if the kernel reports the launches' part of it`() {
        #expect(reading(all: 10, own: 8, stall: (all: 6, own: 5))?.processorPressure == 0.1)
        #expect(reading(all: 10, own: 8, stall: (all: 6, own: 7))?.processorPressure == 0)
    }

    @Test(.proves("C16"))
    func `while launches use processors, processor pressure is unknown unless the kernel reports the launches' part`() {
        #expect(reading(all: 10, own: 8, stall: (all: 6, own: nil))?.processorPressure == nil)
        #expect(reading(all: 10, own: 0, stall: (all: 6, own: nil))?.processorPressure == 0.6)
        #expect(reading(all: 10, stall: (all: 6, own: nil))?.processorPressure == 0.6)
    }

    @Test func `two load samples at the same time give no reading`() {
        let sample = LoadSample(at: .seconds(1), processors: 1, machine: .init(processorTime: .zero), launches: nil)
        #expect(LoadReading(from: sample, to: sample) == nil)
    }

    @Test func `load or processor pressure between the thresholds is neither idle nor busy, and neither high nor low`()
    {
        let thresholds = ConditionThresholds()
        let idle = [1.0, 3, 6, 13, 17].map { reading(all: $0)?.indicatesIdleness(thresholds) }
        #expect(idle == [true, nil, false, false, false])
        let high = [1.0, 11, 13, 17].map { reading(all: $0)?.indicatesHighLoad(thresholds) }
        #expect(high == [false, false, nil, true])
        #expect(reading(all: 1, stall: (all: 3, own: nil))?.indicatesIdleness(thresholds) == false)
        #expect(reading(all: 1, stall: (all: 2, own: nil))?.indicatesIdleness(thresholds) == nil as Bool?)
    }

    @Test(arguments: [
        "", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7", "cpu  1 2 x 4 5 6 7", "cpu  -1 2 3 4 5 6 7",
        "cpu  9223372036854775807 9223372036854775807 3 4 5 6 7",
    ])
    func `malformed processor times are not parsed`(text: String) {
        #expect(LoadSample.busyTicks(in: text) == nil)
    }

    @Test func `time waiting for disks and time stolen by a hypervisor do not count as load`() {
        #expect(LoadSample.busyTicks(in: "cpu  1 2 4 800 1600 8 16 3200 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0") == 31)
    }
}

@Suite("A condition changes only after a steady time and does not flap")
struct SteadyClaimTests {
    /// Feeds a claim with samples, one letter per five seconds: y is a positive sample, n a negative one, - one between
    /// the thresholds. Returns whether the claim holds after each.
    private func holds(_ samples: String) -> [Bool] {
        var claim = SteadyClaim(beginsAfter: .seconds(15), endsAfter: .seconds(10))
        return samples.enumerated().map { index, letter in
            let seen: Bool? = letter == "y" ? true : letter == "n" ? false : nil
            claim.note(seen, since: .seconds(Double(index) * 5), until: .seconds(Double(index) * 5 + 5))
            return claim.holds
        }
    }

    private func word(_ holds: [Bool]) -> String { holds.map { $0 ? "1" : "0" }.joined() }

    @Test(arguments: [
        ("yyyy", "0011"), ("yyny", "0000"), ("yy-yyy", "000001"), ("yyynyy", "001111"), ("yyynny", "001100"),
        ("yyyn-n", "001111"), ("yyy---", "001111"), ("yyynnyyy", "00110001"), ("ynynyn", "000000"),
    ])
    func `a condition begins or ends only after its samples agree for a steady time`(samples: String, expected: String)
    {
        #expect(word(holds(samples)) == expected)
    }
}

@Suite("The processor time of launches is measured, including that of ended processes")
struct LaunchUsageTests {
    private func line(_ pid: Int32, parent: Int32, ticks: [Int] = [10, 5, 2, 1], name: String = "x") -> String {
        "\(pid) (\(name)) S \(parent) 1 1 0 -1 0 0 0 0 0 \(ticks.map(String.init).joined(separator: " ")) 20 0 1 0 99 0 0\n"
    }

    @Test func `processor time of launches includes descendants and reaped children, and no other processes`() throws {
        let tree = try FileTree()
        try tree.write("proc/1/stat", line(1, parent: 0, ticks: [900, 900, 900, 900]))
        try tree.write("proc/70/stat", line(70, parent: 1, ticks: [500, 500, 40, 2]))
        try tree.write("proc/71/stat", line(71, parent: 70, name: "a) b ("))
        try tree.write("proc/72/stat", line(72, parent: 71))
        try tree.write("proc/73/stat", line(73, parent: 1))
        let times = try #require(ProcessTimes.all(in: tree.path + "/proc"))
        #expect(times.used(by: 70, ticksPerSecond: 100) == .milliseconds(10_780))
    }

    @Test func `processes that name each other as parents are counted once in the launches' time`() throws {
        let tree = try FileTree()
        try tree.write("proc/70/stat", line(70, parent: 71, ticks: [0, 0, 0, 0]))
        try tree.write("proc/71/stat", line(71, parent: 70))
        let times = try #require(ProcessTimes.all(in: tree.path + "/proc"))
        #expect(times.used(by: 70, ticksPerSecond: 100) == .milliseconds(180))
    }

    @Test(arguments: [
        "", "70", "70 (x", ") 70 (", "70 (x) S", "70 (x) S 1 2 3", "x (x) S 1 0 0 0 0 0 0 0 0 0 1 1 1 1 0 0 0",
    ])
    func `a process with a malformed stat file is skipped when processor times are read`(text: String) throws {
        let tree = try FileTree()
        try tree.write("proc/70/stat", text)
        #expect(ProcessTimes.all(in: tree.path + "/proc")?.entries == [])
    }

    @Test func `a control group reports processor time, processor stall and disk stall of its processes`() throws {
        let tree = try FileTree()
        let usage = LaunchUsage.controlGroup(tree.path + "/group")
        #expect(usage.read() == nil)
        try tree.write("group/cpu.stat", "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n")
        #expect(usage.read() == UsageReading(processorTime: .milliseconds(1_500)))
        try tree.write("group/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2000\n")
        try tree.write("group/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=3000\n")
        #expect(
            usage.read()
                == UsageReading(
                    processorTime: .milliseconds(1_500),
                    processorStall: .milliseconds(2),
                    diskStall: .milliseconds(3)
                )
        )
    }

    @Test func `the processor time of an ended child is part of the launches' time`() throws {
        let usage = LaunchUsage.processTree(of: Machine.pid)
        let before = try #require(usage.read()?.processorTime)
        #expect(Machine.run("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"))
        let after = try #require(usage.read()?.processorTime)
        #expect(after - before >= .milliseconds(50))
    }
}
