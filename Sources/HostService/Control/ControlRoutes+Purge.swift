// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConfiguration
import Scheduling
import TaskModel

extension ControlRoutes {
    /// Purges a plugin and deletes its container and its logs. The scheduler decides first: from then on the plugin has
    /// no waiting or running work, and no launch uses its container.
    func purge(_ text: String) async throws -> PluginPurgeReply {
        guard let plugin = PluginIdentifier(text) else {
            throw RouteError.malformedIdentifier(text, field: "identifier")
        }
        let answer = await ask { .purgeRequested(plugin, reply: $0) }
        guard case .purged(let dropped) = answer else { throw unexpected(answer) }
        do {
            let state = loop.state
            let discarded = try await threads.run { state.discarded(of: plugin.text) }
            for container in discarded { try await state.delete(container, on: threads) }
            let logs = await loop.logs.delete(of: plugin)
            if dropped == nil, discarded.isEmpty, logs == 0 { throw nothingToPurge(plugin) }
            return PluginPurgeReply(plugin, dropped: dropped ?? 0, hadContainer: !discarded.isEmpty)
        } catch let error as HostError {
            throw RouteError(.containerKept, error.message)
        }
    }

    private func nothingToPurge(_ plugin: PluginIdentifier) -> RouteError {
        let nearest = NearestWord.to(plugin.text, among: pluginNames)
        return RouteError(
            .noSuchPlugin,
            "no plugin \(plugin) is installed, and it has no record and no container, so there is nothing to purge",
            remedy: nearest.map { NearestWord.remedy(nearest: $0, meaning: "plugin") }
                ?? "compare the identifier with \"bgtask plugin list\" and \"bgtask journal --event plugin-removed\""
        )
    }
}
