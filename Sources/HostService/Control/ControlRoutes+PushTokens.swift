// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LinuxSystem
import Scheduling
import TaskLedger
import TaskModel

// Device tokens: a sender that reaches the host through a gateway addresses a plugin by its token. The ledger is the only
// place of the tokens, and the journal has none of their digits.
extension ControlRoutes {
    /// Returns the token of a plugin, and issues one if it has none or the call rotates it.
    func issueToken(_ text: String, _ order: PushTokenOrder) async throws -> PushTokenReply {
        let plugin = try await pushedPlugin(text)
        let present = try await recorded { try $0.pushToken(of: plugin) }
        let isRotating = order.rotate ?? false
        if let present, !isRotating { return PushTokenReply(present) }
        var random = SystemRandomNumberGenerator()
        let token = PushToken(using: &random)
        try await change(plugin, isRotating ? .rotate(to: token) : .issue(token), present == nil ? "issued" : "rotated")
        // Another call may have issued a token meanwhile: both callers get the same.
        if let issued = try await recorded({ try $0.pushToken(of: plugin) }) { return PushTokenReply(issued) }
        throw RouteError(.notRecorded, "the device token of \(plugin) was revoked meanwhile", remedy: "call again")
    }

    func revokeToken(_ text: String) async throws -> PushTokenRevocationReply {
        let plugin = try PluginIdentifier(validating: text)
        guard try await recorded({ try $0.pushToken(of: plugin) }) != nil else {
            return PushTokenRevocationReply(plugin, isRevoked: false)
        }
        try await change(plugin, .revoke, "revoked")
        return PushTokenRevocationReply(plugin, isRevoked: true)
    }

    func checkToken(_ check: PushTokenCheck) async throws -> PushTokenCheckReply {
        let token = try check.validated()
        return PushTokenCheckReply(try await recorded { try $0.state(of: token) })
    }

    /// The installed main plugin that may receive pushes.
    private func pushedPlugin(_ text: String) async throws -> PluginIdentifier {
        let plugin = try PluginIdentifier(validating: text)
        try await requireInstalled(plugin)
        let entry = try await read { scheduler, _ in scheduler.entry(of: plugin) }
        if let entry, entry.role == .main, entry.modes.contains(.remoteNotification) { return plugin }
        throw RouteError(
            SubmissionRefusal(
                code: .notPermitted,
                subReason: .remoteNotificationModeMissing,
                message:
                    "\(plugin) receives no pushes: they need a main plugin whose manifest lists the background mode"
                    + " remote-notification; add it to background-modes"
            )
        )
    }

    private func change(_ plugin: PluginIdentifier, _ change: PushTokenChange, _ done: String) async throws {
        let now = SystemClock().now().wall
        let entry = JournalEntry(
            at: now,
            event: .pushTokenChanged,
            plugin: plugin,
            blame: .nobody,
            message: "the device token of the plugin was \(done)",
            user: caller?.callingUser
        )
        do {
            try await tokenGate.changing {
                try await ledger.commitAndWait([.changePushToken(plugin, change, at: now), .journal(entry)])
            }
        } catch let error as LedgerError {
            if error.code == .closed { throw RouteError(.hostStopping()) }
            throw RouteError(.notRecorded, "\(error)")
        }
    }
}
