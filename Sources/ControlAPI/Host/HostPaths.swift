// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The default paths of a host. Creates no files.
package struct HostPaths: Hashable, Sendable {
    package let configurationFile: String
    /// The operator's directory of manifests. It takes precedence over `packageManifests`.
    package let operatorManifests: String
    /// The directory for the manifests of packages.
    package let packageManifests: String
    package let pluginDirectory: String
    package let stateDirectory: String
    package let controlSocket: String

    /// Path of the file with the keys that may sign for plugins.
    package var signersFile: String { configurationDirectory + "/allowed_signers" }
    /// Path of the file with the keys whose signatures are refused.
    package var revokedKeysFile: String { configurationDirectory + "/revoked_keys" }

    /// Path of the directory with the keys and webhooks of the push gateway.
    package var pushKeyDirectory: String { configurationDirectory + "/push-keys" }

    private var configurationDirectory: String {
        String(configurationFile.dropLast("/bgtaskd.yaml".count))
    }

    package static let system = HostPaths(
        configurationFile: "/etc/bgtask/bgtaskd.yaml",
        operatorManifests: "/etc/bgtask/manifests",
        packageManifests: "/usr/share/bgtask/manifests",
        pluginDirectory: "/usr/lib/bgtask/plugins",
        stateDirectory: "/var/lib/bgtask",
        controlSocket: "/run/bgtask/control.sock"
    )

    /// The paths of a user's own host by the XDG rules. A variable that is not an absolute path counts as unset.
    ///
    /// Without a runtime directory the socket is placed in the state directory, which belongs to the user. In a
    /// directory that all users can write to, another user could create the same name first.
    package static func user(environment: [String: String]) -> HostPaths {
        let home = homeDirectory(environment: environment)
        func directory(_ variable: String, otherwise fallback: String) -> String {
            guard let value = environment[variable], value.hasPrefix("/") else { return fallback }
            return value
        }
        let configuration = directory("XDG_CONFIG_HOME", otherwise: home + "/.config") + "/bgtask"
        let data = directory("XDG_DATA_HOME", otherwise: home + "/.local/share") + "/bgtask"
        let state = directory("XDG_STATE_HOME", otherwise: home + "/.local/state") + "/bgtask"
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/bgtask" : nil } ?? state
        return HostPaths(
            configurationFile: configuration + "/bgtaskd.yaml",
            operatorManifests: configuration + "/manifests",
            packageManifests: data + "/manifests",
            pluginDirectory: data + "/plugins",
            stateDirectory: state,
            controlSocket: runtime + "/control.sock"
        )
    }

    /// The user's home directory: `HOME`, or the home directory of the account if the variable is not an absolute path;
    /// `/` without either.
    private static func homeDirectory(environment: [String: String]) -> String {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return "/" }
        return String(cString: home)
    }
}
