// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import StatementTraits
import Synchronization
import TaskModel
import Testing

@testable import HostConditions

@Suite("The machine is idle while its load is low and no session is active")
struct IdleTests {
    /// A machine with two processors and a manual clock that advances by five seconds.
    private final class World: Sendable {
        private struct State {
            var seconds = 0.0
            var busy = 0.0
            var stall = 0.0
            var launches = 0.0
            var reads = 0
        }

        let tree: FileTree
        private let state = Mutex(State())

        init() throws {
            tree = try FileTree()
            try write()
        }

        var now: MonotonicTime { state.withLock { .seconds(1_000 + $0.seconds) } }
        var reads: Int { state.withLock(\.reads) }

        var usage: LaunchUsage {
            LaunchUsage { [self] in
                state.withLock { state in
                    state.reads += 1
                    return UsageReading(processorTime: .seconds(state.launches))
                }
            }
        }

        /// Advances by five seconds, during which other programs and the launches use the given numbers of processors,
        /// and processes wait for a processor during the share `stall` of the time.
        func passes(others: Double, launches: Double = 0, stall: Double = 0) throws {
            state.withLock { state in
                state.seconds += 5
                state.busy += (others + launches) * 5
                state.launches += launches * 5
                state.stall += stall * 5
            }
            try write()
        }

        /// Writes the kernel's load average of the last minute.
        func averages(_ load: Double) throws { try tree.write("proc/loadavg", "\(load) 0.50 0.25 1/234 5678\n") }

        private func write() throws {
            let (busy, stall) = state.withLock { ($0.busy, $0.stall) }
            let ticks = Int(busy * 100)
            try tree.write("proc/stat", "cpu  \(ticks) 0 0 5000 0 0 0 0 0 0\ncpu0 0 0 0 0\ncpu1 0 0 0 0\nctxt 1\n")
            let total = Int(stall * 1_000_000)
            try tree.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(total)\n")
        }
    }

    private let world: World
    private let sensor: IdleSensor

    init() throws {
        world = try World()
        sensor = IdleSensor(world.tree.roots, ConditionThresholds(), world.usage)
    }

    private func watch(_ conditions: Set<Condition> = [.idle]) { sensor.watch(conditions, at: world.now) }

    /// Advances the machine with a constant use.
    ///
    /// - Returns: for each five seconds, whether the condition holds afterwards.
    private func holds(
        _ condition: Condition = .idle,
        times: Int = 1,
        others: Double,
        launches: Double = 0,
        stall: Double = 0
    ) throws -> [Bool] {
        try (0..<times).map { _ in
            try world.passes(others: others, launches: launches, stall: stall)
            sensor.sample(at: world.now)
            return sensor.reading(condition)?.holds ?? false
        }
    }

    @Test(.proves("C16")) func `the machine is idle after half a minute of low load`() throws {
        watch()
        #expect(sensor.reading(.idle)?.holds == false)
        #expect(try holds(times: 7, others: 0.1) == [false, false, false, false, false, true, true])
    }

    @Test(.proves("C16")) func `processor time of the host's own launches does not end idleness`() throws {
        watch()
        _ = try holds(times: 6, others: 0.05)
        #expect(try holds(times: 10, others: 0.05, launches: 1.9, stall: 0.9) == Array(repeating: true, count: 10))
    }

    @Test(.proves("C16", 66)) func `ten seconds of load by other programs end idleness, and a shorter burst does not`()
        throws
    {
        watch()
        _ = try holds(times: 6, others: 0)
        #expect(try holds(others: 1.5) == [true])
        #expect(try holds(others: 0.1) == [true])
        #expect(try holds(times: 2, others: 1.5) == [true, false])
        #expect(try holds(times: 6, others: 0.1) == [false, false, false, false, false, true])
    }

    @Test(.proves("C16")) func `processor pressure ends idleness as load does, while no launch uses the processors`()
        throws
    {
        watch()
        _ = try holds(times: 6, others: 0)
        #expect(try holds(times: 2, others: 0.1, stall: 0.5) == [true, false])
    }

    @Test(.proves("C16"))
    func `without a watched condition the load is not sampled, and idleness is reported as unwatched`() throws {
        _ = try holds(times: 10, others: 0)
        #expect(world.reads == 0)
        #expect(sensor.nextSample == nil && sensor.awaited == nil)
        #expect(sensor.reading(.idle) == .unwatched && sensor.reading(.highLoad) == .unwatched)

        watch()
        #expect(sensor.nextSample == world.now + .seconds(5))
        _ = try holds(times: 6, others: 0)
        #expect(sensor.reading(.idle)?.holds == true)
        watch([])
        #expect(sensor.nextSample == nil)
        #expect(sensor.reading(.idle) == .unwatched)
        watch()
        #expect(sensor.reading(.idle)?.holds == false)
    }

    @Test(.proves("C16"))
    func `without a session manager the load alone decides idleness, and the reading has unknown sessions`()
        throws
    {
        watch()
        _ = try holds(times: 6, others: 0)
        let detail = try #require(sensor.reading(.idle)?.detail)
        #expect(detail.hasPrefix("processes outside of launches use 0% of the processors"))
        #expect(detail.contains("session activity is unknown: "))
    }

    @Test func `high load begins and ends only after a steady time, and is sampled even if idleness is not watched`()
        throws
    {
        watch([.highLoad])
        #expect(try holds(.highLoad, times: 4, others: 1.8) == [false, false, true, true])
        #expect(try holds(.highLoad, times: 2, others: 1.4) == [true, true])
        #expect(try holds(.highLoad, times: 4, others: 0.2) == [true, true, false, false])
        #expect(sensor.reading(.idle) == .unwatched && sensor.awaited == nil)
        #expect(try holds(.highLoad, times: 4, others: 0, launches: 2) == [false, false, false, false])
    }

    @Test(arguments: [(1.5, false), (1.7, true), (12, true)])
    func `the first reading of high load uses the kernel's average, until samples replace it`(
        load: Double,
        isHigh: Bool
    ) throws {
        try world.averages(load)
        watch([.highLoad])
        #expect(sensor.reading(.highLoad)?.holds == isHigh)
        #expect("\(String(describing: sensor.reading(.highLoad)))".contains("of one minute is \(load)"))
        for _ in 1...3 {
            try world.passes(others: 0)
            sensor.sample(at: world.now)
        }
        #expect(sensor.reading(.highLoad)?.holds == false)
    }

    @Test func `unreadable processor times are reported as missing, and are read again later`() throws {
        watch()
        try world.tree.write("proc/stat", "nonsense")
        sensor.sample(at: world.now + .seconds(5))
        let problem = "cannot parse \(world.tree.path)/proc/stat, whose format is unknown: Bad message"
        #expect(sensor.reading(.idle) == .missing(problem))
        #expect(sensor.nextSample == world.now + .seconds(10))
        try world.passes(others: 0)
        try world.passes(others: 0)
        sensor.sample(at: world.now)
        #expect(sensor.reading(.idle)?.isMissing == false)
    }

    @Test func `this machine's load can be sampled`() throws {
        let sample = try LoadSample(SystemRoots(), launches: nil, ticksPerSecond: 100, at: .now)
        #expect(sample.machine.processorTime > .zero && sample.processors >= 1)
    }
}
