// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The thresholds at which a measurement sets a condition: shares in percent of all processors, heat in degrees.
package struct SensorsInForce: Codable, Hashable, Sendable {
    package let sampleInterval: Nanoseconds
    package let idlePercent: Int
    package let idleAfter: Nanoseconds
    package let busyPercent: Int
    package let busyAfter: Nanoseconds
    package let highLoadPercent: Int
    package let highLoadEndPercent: Int
    package let highLoadAfter: Nanoseconds
    package let heatMargin: Int

    package init(
        sampleInterval: Duration,
        idlePercent: Int,
        idleAfter: Duration,
        busyPercent: Int,
        busyAfter: Duration,
        highLoadPercent: Int,
        highLoadEndPercent: Int,
        highLoadAfter: Duration,
        heatMargin: Int
    ) {
        self.sampleInterval = Nanoseconds(sampleInterval)
        self.idlePercent = idlePercent
        self.idleAfter = Nanoseconds(idleAfter)
        self.busyPercent = busyPercent
        self.busyAfter = Nanoseconds(busyAfter)
        self.highLoadPercent = highLoadPercent
        self.highLoadEndPercent = highLoadEndPercent
        self.highLoadAfter = Nanoseconds(highLoadAfter)
        self.heatMargin = heatMargin
    }

    private enum CodingKeys: String, CodingKey {
        case sampleInterval = "sample_interval_ns"
        case idlePercent = "idle_percent"
        case idleAfter = "idle_after_ns"
        case busyPercent = "busy_percent"
        case busyAfter = "busy_after_ns"
        case highLoadPercent = "high_load_percent"
        case highLoadEndPercent = "high_load_end_percent"
        case highLoadAfter = "high_load_after_ns"
        case heatMargin = "heat_margin"
    }
}
