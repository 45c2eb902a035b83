// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel

/// Detects a machine that is too hot for deferrable work. The temperatures are sampled at long intervals, and only
/// while the condition is watched.
final class HeatSensor: Sensor {
    private let folder: String
    private let thresholds: ConditionThresholds
    private var reading = ConditionReading.unwatched
    private(set) var nextLook: MonotonicTime?

    init(_ roots: SystemRoots, _ thresholds: ConditionThresholds) {
        folder = "\(roots.sys)/class/thermal"
        self.thresholds = thresholds
    }

    func watch(_ conditions: Set<Condition>, at now: MonotonicTime) {
        let isWatched = conditions.contains(.hot)
        if isWatched == (nextLook != nil) { return }
        nextLook = isWatched ? now : nil
        reading = .unwatched
        look(at: now)
    }

    func look(at now: MonotonicTime) {
        guard nextLook != nil else { return }
        nextLook = now + thresholds.heatInterval
        do throws(SystemError) {
            let heat = try HeatReading(folder: folder)
            reading = judge(heat)
        } catch {
            reading = .missing(error.description)
        }
    }

    func write(to readings: inout Readings) { readings.conditions[.hot] = reading }

    private func judge(_ heat: HeatReading) -> ConditionReading {
        if heat.zones.isEmpty { return .missing("\(folder) has no zone with a temperature") }
        return .measured(heat.isHot(thresholds, after: reading.holds), from: folder, detail: heat.words)
    }
}
