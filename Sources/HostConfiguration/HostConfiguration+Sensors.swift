// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConditions
import LocatedYAML
import TaskModel

// The keys of the sensors: shares in percent of all processors, heat in degrees.
extension HostConfiguration {
    mutating func readSensors(_ mapping: DiagnosingMapping) {
        for row in ConditionThresholds.rows {
            switch row.value {
            case .percent(let paths):
                guard let percent = mapping.integer(row.key, in: 1...100)?.value else { continue }
                for path in paths { sensors[keyPath: path] = Double(percent) / 100 }
            case .degrees(let path):
                guard let degrees = mapping.integer(row.key, in: 0...100)?.value else { continue }
                sensors[keyPath: path] = Double(degrees)
            case .duration(let path, let mayBeZero):
                let range = mayBeZero ? Self.waits : Self.times
                replace(&sensors[keyPath: path], with: mapping.duration(row.key, in: range))
            }
        }
    }
}
