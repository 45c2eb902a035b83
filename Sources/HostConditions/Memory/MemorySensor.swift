// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Detects that processes wait for memory. The kernel reports when the waiting begins; the sensor samples whether it
/// has ended.
final class MemorySensor: Sensor {
    private let path: String
    private let thresholds: ConditionThresholds
    private var trigger: Descriptor?
    private var problem: SystemError?
    private var isLow = false
    private var average = 0.0
    private(set) var nextSample: MonotonicTime?

    init(_ roots: SystemRoots, _ thresholds: ConditionThresholds) {
        path = "\(roots.proc)/pressure/memory"
        self.thresholds = thresholds
        do throws(SystemError) {
            average = try PressureReading(file: path).average
            trigger = try setTrigger()
        } catch {
            problem = error
        }
    }

    var awaited: Awaited? { trigger.map { Awaited(descriptor: $0, events: BGL_CHANGED) } }

    func listen(at now: MonotonicTime) {
        isLow = true
        average = (try? PressureReading(file: path))?.average ?? average
        nextSample = now + thresholds.memoryInterval
    }

    /// Sets low memory to false when the average waiting time is below the threshold. The first due sample follows one
    /// interval after the kernel's report, because the average rises only from then on.
    func sample(at now: MonotonicTime) {
        guard problem == nil else { return }
        do throws(SystemError) {
            average = try PressureReading(file: path).average
        } catch {
            return fail(error)
        }
        if average < thresholds.memoryClearPercent {
            isLow = false
            nextSample = nil
        } else if isLow {
            nextSample = now + thresholds.memoryInterval
        }
    }

    func cannotWait(_ error: SystemError) { fail(SystemError(number: error.number, attempt: "wait for \(path)")) }

    func write(to readings: inout Readings) {
        let words = "processes waited for memory for \(average)% of the last 10 s"
        readings.conditions[.lowMemory] =
            problem.map { .missing($0.description) } ?? .measured(isLow, from: path, detail: words)
    }

    private func fail(_ error: SystemError) {
        problem = error
        trigger = nil
        isLow = false
        nextSample = nil
    }

    private func setTrigger() throws(SystemError) -> Descriptor {
        let file = try Descriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
        let (stall, window) = (thresholds.memoryStall.wholeMicroseconds, thresholds.memoryWindow.wholeMicroseconds)
        try file.write("some \(stall) \(window)", for: "set a memory pressure trigger at \(path)")
        return file
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 { wholeNanoseconds / 1_000 }
}
