// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Where one host keeps and finds its things when nothing else is configured. Creates nothing.
package struct HostPaths: Hashable, Sendable {
    package let configurationFile: String
    /// The operator's folder, which wins over the other.
    package let operatorManifests: String
    /// The folder that packages put manifests into.
    package let packageManifests: String
    package let pluginFolder: String
    package let stateFolder: String
    package let controlSocket: String

    package static let system = HostPaths(
        configurationFile: "/etc/bgtask/bgtaskd.yaml",
        operatorManifests: "/etc/bgtask/manifests",
        packageManifests: "/usr/share/bgtask/manifests",
        pluginFolder: "/usr/lib/bgtask/plugins",
        stateFolder: "/var/lib/bgtask",
        controlSocket: "/run/bgtask/control.sock"
    )

    /// A user's own host, by the XDG rules: a variable that is empty or no absolute path counts as not set.
    ///
    /// Without a runtime folder the socket goes into the state folder: it is the user's own, where a guessable name in
    /// a folder that all may write to could be taken by anybody first.
    package static func user(environment: [String: String]) -> HostPaths {
        let home = homeFolder(environment: environment)
        func folder(_ variable: String, otherwise fallback: String) -> String {
            guard let value = environment[variable], value.hasPrefix("/") else { return fallback }
            return value
        }
        let configuration = folder("XDG_CONFIG_HOME", otherwise: home + "/.config") + "/bgtask"
        let data = folder("XDG_DATA_HOME", otherwise: home + "/.local/share") + "/bgtask"
        let state = folder("XDG_STATE_HOME", otherwise: home + "/.local/state") + "/bgtask"
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/bgtask" : nil } ?? state
        return HostPaths(
            configurationFile: configuration + "/bgtaskd.yaml",
            operatorManifests: configuration + "/manifests",
            packageManifests: data + "/manifests",
            pluginFolder: data + "/plugins",
            stateFolder: state,
            controlSocket: runtime + "/control.sock"
        )
    }

    /// `HOME`, or what the account's own entry says.
    private static func homeFolder(environment: [String: String]) -> String {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return "/" }
        return String(cString: home)
    }
}
