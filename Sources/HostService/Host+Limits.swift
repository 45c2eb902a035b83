// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import LinuxSystem
import PluginLaunch
import SandboxPolicy
import Scheduling
import TaskModel

// The limits of launches that this host can enforce.
extension Host {
    /// The mechanisms that limit the resources of launches.
    ///
    /// - Parameter containers: the directory of the containers, whose disk the host watches.
    func limiting(_ launcher: Launcher, _ users: PluginUsers, containers: String) -> LimitMechanisms {
        LimitMechanisms(
            controllers: launcher.controllers,
            hasGroupsOff: configuration.cgroup == "none",
            hasOwnUsers: users.range != nil,
            limits: configuration.launchLimits,
            diskWatch: diskWatch(launcher, users, containers)
        )
    }

    private func diskWatch(
        _ launcher: Launcher,
        _ users: PluginUsers,
        _ containers: String
    ) -> LimitMechanisms.DiskWatching {
        if configuration.scheduling.diskReserve.most == 0 { return .none }
        return LimitMechanisms.DiskWatching(
            hasOwnUsers: users.range != nil,
            tracesOthers: ProcessAuthority.tracesOthers(inStatus: FileBytes.text("/proc/self/status") ?? ""),
            controllers: launcher.controllers,
            uncounted: ContainerDisk(of: containers).uncounted
        )
    }

    /// Throws when the configuration requires a limit of launches that this host cannot enforce.
    func require(_ limiting: LimitMechanisms, by sandboxes: SandboxPolicy) throws(HostError) {
        do throws(SandboxPolicy.Refusal) {
            try sandboxes.checkLimits(limiting)
        } catch {
            throw HostError(code: .systemRefused, message: "\(error)")
        }
    }
}
