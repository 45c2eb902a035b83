// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
package import ControlClient
package import TaskModel

/// What a running host makes of a change of its folders. Waits for it, but not for ever.
package struct HostVerdict {
    package enum Answer: Hashable {
        case accepted
        /// The problems, one each.
        case refused([String])
        /// The plugin is not listed any more.
        case gone
        case silent
    }

    /// Hosts notice within milliseconds, unless a large library has to be read first.
    package static let patience: Duration = .seconds(10)
    /// What a host refuses may be what stood there before, until it has looked.
    private static let settling: Duration = .seconds(1)
    private static let pause: Duration = .milliseconds(50)

    private let client: ControlClient
    private let clock = ContinuousClock()

    package init(client: ControlClient) { self.client = client }

    /// All plugins of the host. One that is still loading is given time to finish; after that its list is taken as it is.
    package func plugins() async throws -> PluginListReply {
        var list = try await client.plugins()
        let end = clock.now + Self.patience
        while list.isPartial, clock.now < end {
            try await clock.sleep(for: Self.pause)
            list = try await client.plugins()
        }
        return list
    }

    func onInstallation(of plan: InstallationPlan, digest: String) async throws -> Answer {
        let end = clock.now + Self.patience
        var refusedSince: ContinuousClock.Instant?
        while clock.now < end {
            if let reply = try await plugin(plan.identifier), reply.manifest == plan.manifestTarget,
                reply.manifestDigest == digest, reply.libraryDigest == plan.library.digest
            {
                return .accepted
            }
            let refusal = try await client.plugins(manifest: plan.manifestTarget).refused.first
            if let refusal {
                let since = refusedSince ?? clock.now
                if clock.now - since >= Self.settling { return .refused(refusal.problems.map(\.message)) }
                refusedSince = since
            } else {
                refusedSince = nil
            }
            try await clock.sleep(for: Self.pause)
        }
        return .silent
    }

    /// Whether every launch that was decided on before has its library by now, so that the file may go.
    func onLoading(of library: String, by identifier: PluginIdentifier) async throws -> Bool {
        let end = clock.now + Self.patience
        while let reply = try await plugin(identifier), reply.librariesToLoad.contains(library) {
            if clock.now >= end { return false }
            try await clock.sleep(for: Self.pause)
        }
        return true
    }

    /// What still runs of a plugin, or is being written about it, is waited for.
    package func onPurge(of identifier: PluginIdentifier) async throws -> PluginPurgeReply {
        let end = clock.now + Self.patience
        while true {
            do {
                return try await client.purge(identifier)
            } catch {
                guard case .refused(_, let reply) = error, reply.error.subReason == "not-purged", clock.now < end
                else { throw error }
            }
            try await clock.sleep(for: Self.pause)
        }
    }

    /// Accepted means that another manifest describes the plugin now.
    func onRemoval(of identifier: PluginIdentifier, describedBy manifest: String) async throws -> Answer {
        let end = clock.now + Self.patience
        while clock.now < end {
            guard let reply = try await plugin(identifier) else {
                if try await client.plugins(manifest: manifest).refused.isEmpty { return .gone }
                try await clock.sleep(for: Self.pause)
                continue
            }
            if reply.manifest != manifest { return .accepted }
            try await clock.sleep(for: Self.pause)
        }
        return .silent
    }

    private func plugin(_ identifier: PluginIdentifier) async throws -> PluginReply? {
        do {
            return try await client.plugin(identifier)
        } catch ControlError.refused(404, _) {
            return nil
        }
    }
}
