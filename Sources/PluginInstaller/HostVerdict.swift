// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
package import ControlClient
package import TaskModel

/// Waits, for a limited time, until a running host has processed a change of its directories, and returns the host's
/// verdict.
package struct HostVerdict {
    package enum Answer: Hashable {
        case accepted
        /// The host refuses the manifest; the value is the messages of the problems.
        case refused([String])
        /// The plugin is no longer listed.
        case gone
        case silent
    }

    /// Maximum time of one wait for the host. It processes a change within milliseconds, unless it has to read a large
    /// library first.
    package static let timeout: Duration = .seconds(10)
    /// Time for which a refusal has to persist: until the host has read the change, the refusal may be about the
    /// previous file.
    private static let settling: Duration = .seconds(1)
    private static let pause: Duration = .milliseconds(50)

    private let client: ControlClient
    private let clock = ContinuousClock()

    package init(client: ControlClient) { self.client = client }

    /// All plugins of the host. While the list is partial, because the host still loads its state, repeats the call for
    /// up to `timeout`; then returns the partial list.
    package func plugins() async throws -> PluginListReply {
        var list = try await client.plugins()
        let end = clock.now + Self.timeout
        while list.isPartial, clock.now < end {
            try await clock.sleep(for: Self.pause)
            list = try await client.plugins()
        }
        return list
    }

    func onInstallation(of plan: InstallationPlan, digest: String) async throws -> Answer {
        let end = clock.now + Self.timeout
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

    /// Waits until no launch still has to load the library, so that the file can be deleted.
    ///
    /// - Returns: false when `timeout` has passed first.
    func onLoading(of library: String, by identifier: PluginIdentifier) async throws -> Bool {
        let end = clock.now + Self.timeout
        while let reply = try await plugin(identifier), reply.librariesToLoad.contains(library) {
            if clock.now >= end { return false }
            try await clock.sleep(for: Self.pause)
        }
        return true
    }

    /// Purges a removed plugin, and waits up to `timeout` for the plugin's running launches and commits. Throws the
    /// host's refusal after that time.
    package func onPurge(of identifier: PluginIdentifier) async throws -> PluginPurgeReply {
        let end = clock.now + Self.timeout
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

    /// Waits for the host's verdict on a removal. `accepted` means that another manifest now describes the plugin.
    func onRemoval(of identifier: PluginIdentifier, describedBy manifest: String) async throws -> Answer {
        let end = clock.now + Self.timeout
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
