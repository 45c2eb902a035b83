// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostConditions

@Suite("The machine is hot when a temperature is close to the kernel's trip point")
struct HeatTests {
    private let tree: FileTree
    private let sensor: HeatSensor

    init() throws {
        tree = try FileTree()
        sensor = HeatSensor(tree.roots, ConditionThresholds())
    }

    private func zone(
        _ number: Int = 0,
        _ degrees: Double,
        trips: [(String, Double)] = [("critical", 100), ("passive", 90)]
    )
        throws
    {
        var files = ["type": "x86_pkg_temp\n", "temp": "\(Int(degrees * 1_000))\n"]
        for (index, trip) in trips.enumerated() {
            files["trip_point_\(index)_type"] = trip.0 + "\n"
            files["trip_point_\(index)_temp"] = "\(Int(trip.1 * 1_000))\n"
        }
        try tree.write(in: "sys/class/thermal/thermal_zone\(number)", files)
    }

    private func holds(at seconds: Double) -> Bool? {
        sensor.sample(at: .seconds(seconds))
        return sensor.reading(.hot)?.holds
    }

    @Test func `the machine becomes hot just below the lowest trip point, and stays hot until it has cooled further`()
        throws
    {
        try zone(0, 60)
        sensor.watch([.hot], at: .seconds(0))
        #expect(holds(at: 1) == false)
        try zone(0, 85)
        #expect(holds(at: 2) == true)
        #expect(
            sensor.reading(.hot)?.detail
                == "thermal zone x86_pkg_temp has 85.0 degrees Celsius, its trip point is 90.0"
        )
        try zone(0, 81)
        #expect(holds(at: 3) == true)
        try zone(0, 79)
        #expect(holds(at: 4) == false)
        try zone(0, 84)
        #expect(holds(at: 5) == false)
    }

    @Test func `the thermal zone that is closest to its limit decides whether the machine is hot`() throws {
        try zone(0, 70)
        try zone(1, 50, trips: [("hot", 52)])
        sensor.watch([.hot], at: .seconds(0))
        #expect(sensor.reading(.hot)?.holds == true)
    }

    @Test func `trip points of fans and unset trip points do not count as heat limits`() throws {
        try zone(0, 70, trips: [("active", 40), ("critical", 0), ("passive", -274)])
        sensor.watch([.hot], at: .seconds(0))
        #expect(sensor.reading(.hot)?.holds == false)
        #expect(sensor.reading(.hot)?.detail == "no thermal zone has a temperature limit (trip point)")
    }

    @Test func `temperatures are sampled every 15 seconds, and only while the heat condition is watched`() throws {
        try zone(0, 95)
        sensor.sample(at: .seconds(1))
        #expect(sensor.reading(.hot) == .unwatched && sensor.nextSample == nil)
        sensor.watch([.hot, .idle], at: .seconds(2))
        #expect(sensor.reading(.hot)?.holds == true)
        #expect(sensor.nextSample == .seconds(17))
        sensor.watch([.idle], at: .seconds(3))
        #expect(sensor.reading(.hot) == .unwatched && sensor.nextSample == nil)
    }

    @Test func `the heat condition is reported as missing without thermal zones or with invalid temperatures`() throws {
        sensor.watch([.hot], at: .seconds(0))
        #expect(sensor.reading(.hot)?.isMissing == true)
        try tree.directory("sys/class/thermal/cooling_device0")
        try tree.write("sys/class/thermal/thermal_zone0/temp", "warm")
        try tree.write("sys/class/thermal/thermal_zone1/temp", "")
        #expect(holds(at: 1) == false)
        #expect(
            sensor.reading(.hot) == .missing("\(tree.path)/sys/class/thermal has no zone with a readable temperature")
        )
    }
}
