// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginCatalogue
import Scheduling
import TaskLedger
import TaskModel

// Background pushes and alerts by users and their programs.
extension ControlRoutes {
    func push(_ text: String, _ body: PluginPush) async throws -> PluginPushReply {
        let plugin = try PluginIdentifier(validating: text)
        let body = try body.validated()
        guard let token = body.token else { return try await push(body, to: plugin) }
        // A token that ends meanwhile ends after the answer to this push.
        return try await tokenGate.pushing(to: plugin) {
            let state = try await recorded { try $0.state(of: token) }
            if let refusal = RouteError.refusal(of: state, for: plugin) { throw refusal }
            return try await push(body, to: plugin)
        }
    }

    private func push(_ body: PluginPush.Valid, to plugin: PluginIdentifier) async throws -> PluginPushReply {
        if let alert = body.alert { return try await self.alert(alert, of: body, to: plugin) }
        let push = Push(
            to: plugin,
            payload: body.payload,
            expiresAt: body.expiresAt,
            isLowPriority: body.priority == .low,
            isOnlyNow: body.isOnlyNow,
            identity: PushIdentity(of: body, from: caller?.callingUser.uid)
        )
        return try reply(to: await ask { .pushed(push, reply: $0) }, for: plugin)
    }

    private func alert(
        _ alert: PluginPush.ValidAlert,
        of body: PluginPush.Valid,
        to plugin: PluginIdentifier
    ) async throws -> PluginPushReply {
        let own = { NotificationJSON.payload(of: alert.content, isMutable: alert.isMutable) }
        let push = Alert(
            to: plugin,
            from: PushSender(of: body, from: caller?.callingUser.uid),
            topic: alert.topic,
            content: alert.content,
            payload: body.payload.isEmpty ? own() : body.payload,
            isMutable: alert.isMutable,
            identity: PushIdentity(of: body, from: caller?.callingUser.uid)
        )
        return try reply(to: await ask { .alerted(push, reply: $0) }, for: plugin)
    }

    private func reply(to answer: Answer, for plugin: PluginIdentifier) throws -> PluginPushReply {
        switch answer {
        case .pushed(let number, let result, let expiresAt):
            return PluginPushReply(number, plugin: plugin, result, expiresAt: expiresAt)
        case .alerted(let number, let isShown):
            return PluginPushReply(number, plugin: plugin, state: isShown ? .shown : .stored)
        case .refused(let refusal)
        where refusal.subReason == .pluginMissing && !catalogue.contents.refused.contains { $0.identifier == plugin }:
            throw noSuchPlugin(plugin)
        case let answer: throw unexpected(answer)
        }
    }
}

extension PluginPushReply {
    fileprivate init(
        _ number: SubmissionNumber,
        plugin: PluginIdentifier,
        _ result: PushResult,
        expiresAt: WallTime?
    ) {
        switch result {
        case .stored(let replaced):
            self.init(number, plugin: plugin, state: .stored, replacing: replaced, expiresAt: expiresAt)
        case .replaced(let successor):
            self.init(number, plugin: plugin, state: .replaced, successor: successor, expiresAt: expiresAt)
        case .lapsed: self.init(number, plugin: plugin, state: .lapsed, expiresAt: expiresAt)
        case .shown: self.init(number, plugin: plugin, state: .shown)
        }
    }
}
