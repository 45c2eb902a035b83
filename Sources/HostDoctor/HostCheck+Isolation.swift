// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import LinuxSystem
import SandboxPolicy
import Scheduling
import TaskModel

// Check of the guarantees without which a host refuses to start.
extension HostCheck {
    /// Checks the required guarantees. Only the host creates control groups: when a required guarantee depends on them,
    /// the check adds a note.
    ///
    /// - Parameter hasOwnUsers: whether the host would give users of their own to plugins.
    mutating func checkIsolation(hasOwnUsers: Bool) {
        guard configuration.isolation == .required else {
            return add(.fine, .isolation, "\(configuration.isolation.rawValue) requires no guarantee")
        }
        let policy: SandboxPolicy
        do throws(SandboxPolicy.Refusal) {
            policy = try SandboxPolicy(
                configuration.isolation,
                requiring: configuration.requiredGuarantees,
                privatePlaces: [],
                cataloguePlaces: [],
                limits: configuration.grantLimits,
                hasOwnUsers: hasOwnUsers
            )
            try policy.checkLimits(limiting(hasOwnUsers: hasOwnUsers, hasGroups: configuration.cgroup != "none"))
        } catch {
            return add(.problem, .isolation, error.description)
        }
        do throws(SandboxPolicy.Refusal) {
            try policy.checkLimits(limiting(hasOwnUsers: hasOwnUsers, hasGroups: false))
            add(.fine, .isolation, "the required guarantees are enforced")
        } catch {
            add(
                .note,
                .isolation,
                "whether every required guarantee is enforced depends on the control groups that the host creates at its"
                    + " start; without them the host does not start: \(error)"
            )
        }
    }

    /// The mechanisms that limit launches, under the assumption that the host can create control groups with every
    /// controller (`hasGroups`) or none.
    private func limiting(hasOwnUsers: Bool, hasGroups: Bool) -> LimitMechanisms {
        let controllers: Set<String>? = hasGroups ? ["memory", "pids", "io"] : nil
        let watch = LimitMechanisms.DiskWatching(
            hasOwnUsers: hasOwnUsers,
            tracesOthers: ProcessAuthority.tracesOthers(inStatus: FileBytes.text("/proc/self/status") ?? ""),
            controllers: controllers,
            uncounted: nil
        )
        return LimitMechanisms(
            controllers: controllers,
            hasGroupsOff: configuration.cgroup == "none",
            hasOwnUsers: hasOwnUsers,
            limits: configuration.launchLimits,
            diskWatch: configuration.scheduling.diskReserve.most == 0 ? .none : watch
        )
    }
}
