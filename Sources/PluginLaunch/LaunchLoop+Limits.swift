// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import RunnerWire
import TaskModel

extension LaunchLoop {
    /// Reports a launch that runs without a control group, although launches have them.
    func reportMissingGroup(of launch: LaunchNumber, because cause: String) {
        logger.warning(
            "the launch runs without a control group, so its limits of memory and processes are not enforced: \(cause)",
            metadata: ["launch": "\(launch)"]
        )
        onEvent(.unlimited(launch, cause: cause))
    }

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
