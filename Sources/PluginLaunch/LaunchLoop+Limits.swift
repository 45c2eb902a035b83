// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import TaskModel

extension LaunchLoop {
    /// Reports a launch that runs without a control group, although launches have them.
    func reportMissingGroup(of launch: LaunchNumber, because cause: String) {
        // For a plugin with a user of its own, the kernel enforces the limit of processes without a control group.
        let limits = users == nil ? "limits of memory and processes are" : "limit of memory is"
        logger.warning(
            "the launch runs without a control group, so its \(limits) not enforced: \(cause)",
            metadata: ["launch": "\(launch)"]
        )
        onEvent(.unlimited(launch, cause: cause))
    }

    /// Prepares a launch for its plan: limits its resources by its control group, and notes whether it sends a listener
    /// for refused calls. Kills the launch when a limit cannot be set, because the plugin must not run without its
    /// limits.
    func limit(_ launch: SupervisedLaunch, _ resources: LaunchResources) {
        launch.control.listener.isExpected = resources.isFiltered
        guard let group = launch.group, let controllers = station.groups?.controllers else { return }
        do throws(SystemError) {
            try group.apply(resources, controllers: controllers)
        } catch {
            fail(launch, because: "the limits of the launch cannot be set: \(error)")
        }
    }

    /// Kills a running launch because of a failure of the host: no attempt is charged.
    func fail(_ launch: SupervisedLaunch, because message: String) {
        guard launch.isRunning else { return }
        logger.error("a launch is killed: \(message)", metadata: ["launch": "\(launch.number)"])
        onEvent(.failedByHost(launch.number, message: message))
        launch.wasKilled = true
        launch.kill()
    }
}
