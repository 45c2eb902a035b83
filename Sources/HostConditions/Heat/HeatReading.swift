// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The temperatures of the machine's thermal zones, and whether the machine is hot.
struct HeatReading: Equatable {
    struct Zone: Equatable {
        let name: String
        let degrees: Double
        /// The lowest temperature at which the kernel throttles or stops the machine, in degrees Celsius; nil when none
        /// is set.
        let trip: Double?
    }

    let zones: [Zone]

    /// Whether the temperature of a zone is within `heatMargin` of its trip point. A hot machine stays hot until every
    /// zone is farther from its trip point than `heatMargin` and `heatEndMargin` together.
    func isHot(_ thresholds: ConditionThresholds, after wasHot: Bool) -> Bool {
        guard let closest else { return false }
        return closest.room <= thresholds.heatMargin + (wasHot ? thresholds.heatEndMargin : 0)
    }

    var words: String {
        guard let (zone, trip, _) = closest else { return "no thermal zone has a temperature limit (trip point)" }
        return "thermal zone \(zone.name) has \(zone.degrees) degrees Celsius, its trip point is \(trip)"
    }

    private var closest: (zone: Zone, trip: Double, room: Double)? {
        zones.compactMap { zone in zone.trip.map { (zone, $0, $0 - zone.degrees) } }.min { $0.2 < $1.2 }
    }
}

extension HeatReading {
    /// Reads the zones in a directory.
    ///
    /// - Parameter directory: `/sys/class/thermal`. Zones without a readable temperature, such as disabled ones, are
    ///   skipped.
    init(directory: String) throws(SystemError) {
        zones = try SystemFile.names(in: directory).compactMap { name in
            guard name.hasPrefix("thermal_zone"), let millidegrees = SystemFile.number("\(directory)/\(name)/temp")
            else {
                return nil
            }
            return Zone(
                name: SystemFile.line("\(directory)/\(name)/type") ?? name,
                degrees: Double(millidegrees) / 1_000,
                trip: Self.lowestTrip("\(directory)/\(name)")
            )
        }
    }

    /// The lowest trip point of the types `hot`, `passive` and `critical`, in degrees Celsius; nil when none is set.
    /// `active` points only start a fan. Temperatures of zero or below mean that a point is not set.
    private static func lowestTrip(_ zone: String) -> Double? {
        let names = (try? SystemFile.names(in: zone)) ?? []
        return names.compactMap { name -> Double? in
            guard name.hasPrefix("trip_point_"), name.hasSuffix("_type"),
                ["hot", "passive", "critical"].contains(SystemFile.line("\(zone)/\(name)")),
                let millidegrees = SystemFile.number("\(zone)/\(name.dropLast("type".count))temp"), millidegrees > 0
            else { return nil }
            return Double(millidegrees) / 1_000
        }.min()
    }
}
