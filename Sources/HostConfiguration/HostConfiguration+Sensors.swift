// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConditions
import PluginCatalog
import TaskModel

// What the file says of the machine's sensors: shares in percent of all processors, heat in degrees.
extension HostConfiguration {
    mutating func readSensors(_ mapping: DiagnosingMapping) {
        func share(_ key: String, _ shares: WritableKeyPath<ConditionThresholds, Double>...) {
            guard let percent = mapping.integer(key, in: 1...100)?.value else { return }
            for path in shares { sensors[keyPath: path] = Double(percent) / 100 }
        }
        replace(&sensors.sampleInterval, with: mapping.duration("sample-interval", in: Self.times))
        share("idle-percent", \.idleShare, \.idlePressure)
        replace(&sensors.idleAfter, with: mapping.duration("idle-after", in: Self.waits))
        share("busy-percent", \.busyShare, \.busyPressure)
        replace(&sensors.busyAfter, with: mapping.duration("busy-after", in: Self.waits))
        share("high-load-percent", \.highLoadShare)
        share("high-load-end-percent", \.highLoadEndShare)
        replace(&sensors.highLoadAfter, with: mapping.duration("high-load-after", in: Self.waits))
        if let margin = mapping.integer("heat-margin", in: 0...100) { sensors.heatMargin = Double(margin.value) }
    }
}
