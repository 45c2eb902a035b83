// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginCatalogue
import Scheduling
import TaskModel

// Background pushes by users and their programs.
extension ControlRoutes {
    func push(_ text: String, _ body: PluginPush) async throws -> PluginPushReply {
        let plugin = try PluginIdentifier(validating: text)
        let (payload, expiresAt, priority) = try body.validated()
        let push = Push(to: plugin, payload: payload, expiresAt: expiresAt, isLowPriority: priority == .low)
        switch await ask({ .pushed(push, reply: $0) }) {
        case .pushed(let number, let result):
            return PluginPushReply(number, plugin: plugin, result, expiresAt: expiresAt)
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
        }
    }
}
