// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import Testing

@testable import HostConfiguration

@Suite("Idle runners leave memory to others when it is short")
struct IdleRunnerTests {
    @Test(arguments: [(false, 3), (true, 0)])
    func `the configured number of idle runners holds unless memory is short`(isLow: Bool, kept: Int) {
        var configuration = HostConfiguration(paths: .system, processors: 1)
        configuration.idleRunners = 3
        let conditions = Conditions(isLow ? [.lowMemory] : [])
        #expect(configuration.idleRunners(under: conditions) == kept)
    }
}
