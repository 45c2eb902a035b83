// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskLedger
import TaskModel

// Device tokens: a sender that reaches the host through a gateway addresses a plugin by its token. The ledger is the
// only place of the tokens, and the journal has none of their digits.
extension ControlRoutes {
    /// Returns the token of a plugin, and issues one if it has none or the call rotates it.
    func issueToken(_ text: String, _ order: PushTokenOrder) async throws -> PushTokenReply {
        let plugin = try PluginIdentifier(validating: text)
        try await requireInstalled(plugin)
        var random = SystemRandomNumberGenerator()
        let token = PushToken(using: &random)
        _ = try await change(plugin, order.rotate == true ? .rotate(to: token) : .issue(token))
        // Another call may have changed the token meanwhile: the reply has the present one.
        if let issued = try await recorded({ try $0.pushToken(of: plugin) }) { return PushTokenReply(issued) }
        throw RouteError(.notRecorded, "the device token of \(plugin) was revoked meanwhile", remedy: "call again")
    }

    func revokeToken(_ text: String) async throws -> PushTokenRevocationReply {
        let plugin = try PluginIdentifier(validating: text)
        return PushTokenRevocationReply(plugin, isRevoked: try await change(plugin, .revoke))
    }

    func checkToken(_ check: PushTokenCheck) async throws -> PushTokenCheckReply {
        let token = try check.validated()
        return PushTokenCheckReply(try await recorded { try $0.state(of: token) })
    }

    /// Whether the change had an effect.
    private func change(_ plugin: PluginIdentifier, _ change: PushTokenChange) async throws -> Bool {
        let answer = await tokenGate.changing(of: plugin) {
            await ask { .pushTokenChangeRequested(plugin, change, reply: $0) }
        }
        if case .pushTokenChanged(let isChanged) = answer { return isChanged }
        throw unexpected(answer)
    }
}
