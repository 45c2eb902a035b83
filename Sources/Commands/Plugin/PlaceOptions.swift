// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import LinuxSystem
import PluginCatalogue
import PluginInstaller
import TaskModel

/// The options that select the directories of installed plugins: `--manifests` and `--plugins` name them directly;
/// otherwise the directories of the host that `host` selects are used.
struct PlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The operator's manifest directory, instead of the host's.", valueName: "directory"))
    var manifests: String?

    @Option(help: ArgumentHelp("The plugin directory, instead of the host's.", valueName: "directory"))
    var plugins: String?

    @OptionGroup var host: HostOptions

    /// The place of installation. Directories in the options take precedence over those of the running host. Without a
    /// host the default paths are used.
    func place() async throws -> InstallationPlace {
        let own = manifests.map(FilePlace.absolute)
        if let status = try await hostStatus(), let first = status.manifestDirectories.first {
            let isHosts = own == nil || own == first
            return InstallationPlace(
                operatorDirectory: own ?? first,
                packageDirectories: isHosts ? Array(status.manifestDirectories.dropFirst()) : [],
                pluginDirectory: plugins.map(FilePlace.absolute) ?? (isHosts ? status.pluginDirectory : nil),
                host: isHosts ? try await runningHost(status) : nil
            )
        }
        let defaults =
            host.system ? HostPaths.system : HostPaths.user(environment: CommandContext.current.environment)
        return InstallationPlace(
            operatorDirectory: own ?? defaults.operatorManifests,
            packageDirectories: own == nil ? [defaults.packageManifests] : [],
            pluginDirectory: plugins.map(FilePlace.absolute) ?? (own == nil ? defaults.pluginDirectory : nil),
            host: nil
        )
    }

    /// The running host with the extensions of its main plugins. They are requested from the host, because its
    /// configuration may add extensions to those in the manifests.
    private func runningHost(_ status: HostStatusReply) async throws -> InstallationPlace.RunningHost {
        let extensions = try await host.connected { client in
            var extensions: [PluginIdentifier: Set<PluginIdentifier>] = [:]
            let list = try await HostVerdict(client: client).plugins()
            for summary in list.plugins where summary.role == PluginRole.main.name {
                guard let main = PluginIdentifier(summary.identifier) else { continue }
                extensions[main] = Set(summary.extensions.compactMap { PluginIdentifier($0) })
            }
            return extensions
        }
        return InstallationPlace.RunningHost(
            socket: host.choice.socket,
            user: status.user,
            unenforced: status.isolation.guarantees.compactMap { guarantee in
                guarantee.notEnforced.map { "\(guarantee.name): \($0)" }
            },
            extensions: extensions
        )
    }

    /// The pending requests of the running host that the manifest of a plan does not permit; none without a host or an
    /// installed manifest.
    func requests(unpermittedBy plan: InstallationPlan) async throws -> UnpermittedRequests {
        if plan.place.host == nil || plan.previous == nil { return .none }
        let pending = try await host.connected { try await $0.tasks(plugin: plan.identifier).pending }
        return UnpermittedRequests(of: plan, among: pending)
    }

    /// The status of the chosen host. Nil when no host answers and `--manifests`, `--system` or `--user` selects the
    /// directories instead. Throws when no host answers without such an option, or with `--socket`.
    private func hostStatus() async throws -> HostStatusReply? {
        do {
            return try await host.connected { try await $0.host() }
        } catch let failure as CommandFailure where failure.status == .unreachable {
            if host.socket == nil, manifests != nil || host.system || host.user { return nil }
            let remedy =
                (host.socket == nil ? "or" : "or leave --socket out, and")
                + " select the directories without a host, with --user, --system or --manifests"
            throw CommandFailure(
                .unreachable,
                failure.message,
                remedy: failure.remedy.map { "\($0); \(remedy)" } ?? remedy
            )
        }
    }
}
