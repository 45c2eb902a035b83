// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging

extension LaunchLoop {
    /// Limits the resources of a launch by its control group. Kills the launch when this fails: its plugin must not run
    /// without its limits.
    func limit(_ launch: SupervisedLaunch, _ resources: LaunchResources) {
        guard let group = launch.group, let controllers = station.groups?.controllers else { return }
        do throws(SystemError) {
            try group.apply(resources, controllers: controllers)
        } catch {
            logger.error(
                "a launch is killed because it cannot be limited: \(error)",
                metadata: ["launch": "\(launch.number)"]
            )
            launch.wasKilled = true
            launch.kill()
        }
    }
}
