// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConditions
import LocatedYAML
import TaskModel

// The keys of the sensors: shares in percent of all processors, heat in degrees.
extension HostConfiguration {
    mutating func readSensors(_ mapping: DiagnosingMapping) {
        for (key, paths) in ConditionThresholds.shares {
            guard let percent = mapping.integer(key, in: 1...100)?.value else { continue }
            for path in paths { sensors[keyPath: path] = Double(percent) / 100 }
        }
        replace(&sensors.sampleInterval, with: mapping.duration("sample-interval", in: Self.times))
        replace(&sensors.idleAfter, with: mapping.duration("idle-after", in: Self.waits))
        replace(&sensors.busyAfter, with: mapping.duration("busy-after", in: Self.waits))
        replace(&sensors.highLoadAfter, with: mapping.duration("high-load-after", in: Self.waits))
        if let margin = mapping.integer("heat-margin", in: 0...100) { sensors.heatMargin = Double(margin.value) }
    }
}
