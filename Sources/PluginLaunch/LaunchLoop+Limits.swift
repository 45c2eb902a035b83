// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import RunnerWire

extension LaunchLoop {
    /// Prepares a launch for its plan: limits its resources by its control group, and notes whether it sends a listener
    /// for refused calls. Kills the launch when a limit cannot be set, because the plugin must not run without its
    /// limits.
    func limit(_ launch: SupervisedLaunch, _ resources: LaunchResources) {
        launch.control.expectsListener = resources.isFiltered
        guard let group = launch.group, let controllers = station.groups?.controllers else { return }
        do throws(SystemError) {
            try group.apply(resources, controllers: controllers)
        } catch {
            logger.error(
                "a launch is killed because its limits cannot be set: \(error)",
                metadata: ["launch": "\(launch.number)"]
            )
            // As for a sandbox that cannot be set up: the fault is the host's, and no attempt is charged.
            let message = "the limits of the launch cannot be set: \(error)"
            onEvent(.message(launch.number, .sandboxFailed(message: message)))
            launch.wasKilled = true
            launch.kill()
        }
    }
}
