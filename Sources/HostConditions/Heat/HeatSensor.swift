// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel

/// Detects a machine that is too hot for deferrable work. The temperatures are sampled at long intervals, and only
/// while the condition is watched.
final class HeatSensor: Sensor {
    private let directory: String
    private let thresholds: ConditionThresholds
    private var reading = ConditionReading.unwatched
    private(set) var nextSample: MonotonicTime?

    init(_ roots: SystemRoots, _ thresholds: ConditionThresholds) {
        directory = "\(roots.sys)/class/thermal"
        self.thresholds = thresholds
    }

    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {
        let isWatched = conditions.contains(.hot)
        if isWatched == (nextSample != nil) { return }
        nextSample = isWatched ? now : nil
        reading = .unwatched
        sample(at: now)
    }

    func sample(at now: MonotonicTime) {
        guard nextSample != nil else { return }
        nextSample = now + thresholds.heatInterval
        do throws(SystemError) {
            let heat = try HeatReading(directory: directory)
            reading = judge(heat)
        } catch {
            reading = .missing(error.description)
        }
    }

    func write(to readings: inout Readings) { readings.conditions[.hot] = reading }

    private func judge(_ heat: HeatReading) -> ConditionReading {
        if heat.zones.isEmpty { return .missing("\(directory) has no zone with a readable temperature") }
        return .measured(heat.isHot(thresholds, after: reading.holds), from: directory, detail: heat.words)
    }
}
