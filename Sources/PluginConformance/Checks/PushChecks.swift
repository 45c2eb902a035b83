// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import TaskModel

extension ConformanceCheck {
    /// Checks about the registration for pushes, the feature `bgtask.push/1`.
    static let pushChecks = [pushRegisterRefused]

    private static let pushRegisterRefused = ConformanceCheck(
        "push-register-refused",
        level: 2,
        rule: .abi(.statuses),
        "tasks and events are completed when the registration for pushes is refused",
        remedy: "return BGT_OK from entry also without a device token, and register again in the next launch",
        needs: orderly + ["event-each"],
        trials: { plugin in
            if plugin.isExtension || !plugin.entry.modes.contains(.remoteNotification) {
                return .inapplicable("the manifest does not list the background mode remote-notification")
            }
            return .scripts(withoutTokens(plugin))
        }
    ) { logs, plugin in zip(logs, withoutTokens(plugin)).flatMap { $0.disorder($1) } }

    /// The standard batch and every event on a host that refuses registrations.
    private static func withoutTokens(_ plugin: ConformancePlugin) -> [TrialScript] {
        ([plugin.standard] + plugin.events.filter { $0 != plugin.standard }).map { script in
            var script = script
            script.refusesPushRegistration = true
            return script
        }
    }
}
