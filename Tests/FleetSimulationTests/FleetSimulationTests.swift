// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetSimulation
import Testing

@Suite("A fleet with random faults loses no item and finishes none twice")
struct FleetSimulationTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `suspends, partitions, kills and clock steps break no promise of the fleet`(seed: UInt64) {
        let result = FleetWorld(FleetScenario(seed: seed, hosts: 20, events: 10_000)).run()
        #expect(result.violations.isEmpty, "seed \(seed): \(result.violations)")
        #expect(result.finished > 500 && result.superseded > 0)
    }

    @Test func `the same seed gives the same course`() {
        let traces = (0..<2).map { _ in FleetWorld(FleetScenario(seed: 7, hosts: 10, events: 3_000)).run().trace }
        #expect(traces[0] == traces[1])
    }
}
