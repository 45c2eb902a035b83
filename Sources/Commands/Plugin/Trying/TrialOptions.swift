// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import HostConfiguration
import LinuxSystem
import PluginCatalogue
import PluginTrial
import SandboxPolicy
import TaskModel

/// The options for launches of a plugin without a host: values of settings, and the isolation.
struct TrialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The value of a setting, instead of the manifest's; may be repeated.",
            valueName: "key=value"
        ),
        transform: SignatureArgument.setting
    )
    var setting: [(key: String, value: String)] = []

    @Option(
        help: ArgumentHelp("The file with the value of a secret setting; may be repeated.", valueName: "key=file"),
        transform: SignatureArgument.secret
    )
    var secret: [(key: String, value: String)] = []

    @Option(
        help: ArgumentHelp(
            "The sandbox: best-effort (default), required, or off, which gives the plugin the authority of this user.",
            valueName: "choice"
        ),
        transform: SandboxOptions.isolation
    )
    var isolation = Isolation.bestEffort

    /// The plugin on trial, with its library in the directory of the trial.
    ///
    /// - Parameter catalogue: the plugins among which the main plugin of an extension is.
    func subject(_ plugin: PluginEntry, among catalogue: [PluginEntry], in place: TrialPlace) throws -> TrialSubject {
        let owner = plugin.role == .main ? plugin : catalogue.first { $0.identifier == plugin.containingPlugin }
        guard let owner else {
            throw CommandFailure(
                .refused,
                "the manifest of the main plugin of the extension \(plugin.identifier) is missing",
                remedy: "name it with --with"
            )
        }
        let hosts = [HostPaths.system, .user(environment: CommandContext.current.environment)]
        do {
            let policy = try SandboxPolicy(
                isolation,
                privatePlaces: hosts.flatMap { [$0.stateDirectory, $0.controlSocket] },
                cataloguePlaces: [place.libraries]
            )
            let installed = try place.install(plugin)
            return TrialSubject(
                installed,
                owner: owner,
                settings: try settings(of: plugin),
                user: place.user,
                sandboxes: policy
            )
        } catch let refusal as SandboxPolicy.Refusal {
            throw CommandFailure(.refused, "\(refusal)")
        } catch let failure as TrialFailure {
            throw CommandFailure(.refused, failure.message, remedy: failure.remedy)
        }
    }

    /// The values of all settings: those of the options, otherwise the manifest's.
    private func settings(of plugin: PluginEntry) throws -> [String: String] {
        var values = plugin.settings
        for (key, value) in setting { values[key] = value }
        for (key, file) in secret {
            let sources = [plugin.identifier: [key: SecretSource.file(FilePlace.absolute(file))]]
            do throws(HostError) {
                let reader = SecretReader(sources, environment: [:])
                let read = try reader.values(of: [key], in: plugin.identifier, isNamed: false)
                values.merge(read) { _, secret in secret }
            } catch {
                throw CommandFailure(.refused, error.message.replacing("the host's user", with: "this user"))
            }
        }
        if let missing = plugin.secrets.first(where: { values[$0] == nil }) {
            throw CommandFailure(
                .refused,
                "the secret setting \(missing.inQuotes) has no value, and a host launches no plugin without the values"
                    + " of its secret settings",
                remedy: "add --secret \(missing)=FILE, or --setting \(missing)=VALUE for a value that is not secret"
            )
        }
        return values
    }
}
