// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import RunnerWire
import Scheduling
import TaskLedger
import TaskModel

// Registrations of plugins for pushes. The bytes of a device token never enter the scheduler.
extension DecisionLoop {
    /// The scheduler event for a plugin's call about its device token; none when the host has stopped. The call is
    /// answered after the commit, with the token that the ledger has then.
    func changePushToken(
        of plugin: PluginIdentifier,
        isRegistering: Bool,
        for call: CallNumber,
        of launch: LaunchNumber
    ) -> [SchedulerEvent] {
        let reply = register { [self] answer in
            switch answer {
            case .refused(let refusal): send(.refused(call, refusal), to: launch)
            case .pushTokenChanged where isRegistering: sendPushToken(of: plugin, for: call, of: launch)
            default: send(.pushToken(call, nil), to: launch)
            }
        }
        guard let reply else { return [] }
        // Used only when the plugin has no token.
        var random = SystemRandomNumberGenerator()
        let change: PushTokenChange = isRegistering ? .issue(PushToken(using: &random)) : .revoke
        return [.pushTokenChangeRequested(plugin, change, from: launch, reply: reply)]
    }

    /// Reads the token on a thread for disk access.
    private func sendPushToken(of plugin: PluginIdentifier, for call: CallNumber, of launch: LaunchNumber) {
        threads.perform { [self] in
            do throws(LedgerError) {
                send(.pushToken(call, try ledger.pushToken(of: plugin)?.token), to: launch)
            } catch {
                let refusal = SubmissionRefusal(
                    code: .unavailable,
                    subReason: .notRecorded,
                    message: "register_plugin: the host could not read the device token; try again later"
                )
                log.error("device token not read: \(error)", metadata: ["launch": "\(launch)"])
                send(.refused(call, refusal), to: launch)
            }
        }
    }
}
