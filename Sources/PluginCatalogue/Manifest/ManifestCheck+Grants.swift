// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for the grants of a manifest.
extension ManifestCheck {
    func grants() -> Grants {
        guard let grants = draft.grants else { return .none }
        return Grants(
            network: grants.network,
            connect: grants.connect.compactMap(grantedPort),
            listen: grants.listen.compactMap(grantedPort),
            unix: grants.unix.compactMap(grantedPath),
            gpu: grants.gpu,
            processes: grants.processes,
            read: grants.read.compactMap(grantedPath),
            write: grants.write.compactMap(grantedPath),
            execute: grants.execute.compactMap(grantedPath),
            settings: grants.settings.compactMap(grantedSetting)
        )
    }

    /// The entitlements that the grants contain: health research, and a GPU for continued requests. Empty for an
    /// extension, which submits with the permissions of its main plugin.
    func entitlements() -> Set<Entitlement> {
        guard draft.role == .main, let grants = draft.grants else { return [] }
        let all: [(Entitlement, Bool)] = [
            (.continuedProcessingGPU, grants.gpu), (.healthResearch, grants.healthResearch?.value == true),
        ]
        return Set(all.filter(\.1).map(\.0))
    }

    private func grantedPort(_ port: Field<String>) -> Int? {
        if let number = Int(port.value), Grants.ports.contains(number) { return number }
        problems.report(
            .wrongValue,
            at: port,
            "is \(port.value.inQuotes), not a TCP port from \(Grants.ports.lowerBound) to \(Grants.ports.upperBound)",
            remedy: "write the number of the port, or network: true for the whole network"
        )
        return nil
    }

    private func grantedPath(_ path: Field<String>) -> String? {
        let parts = path.value.split(separator: "/")
        if path.value.hasPrefix("/"), !parts.contains(".."), !parts.contains(".") { return path.value }
        problems.report(
            .wrongValue,
            at: path,
            "is \(path.value.inQuotes), not an absolute path without the parts . and ..",
            remedy: "write the absolute path, without the parts . and .."
        )
        return nil
    }

    private func grantedSetting(_ setting: GrantsDraft.Setting) -> Grants.Setting? {
        guard let key = setting.key, let access = setting.access else { return nil }
        // A mapping with reported errors is not compared with.
        if draft.settings[key.value] != nil || problems.holdsErrors(under: .settings) {
            return Grants.Setting(key: key.value, access: access)
        }
        if draft.secrets.contains(key.value) {
            problems.report(
                .wrongValue,
                at: key,
                "is \(key.value.inQuotes), which is a secret; a granted path cannot be secret, because reports show it",
                remedy: "write a default value for \(key.value) instead of { secret: true }, or remove it from"
                    + " grants.settings"
            )
            return nil
        }
        problems.report(
            .wrongValue,
            at: key,
            "is \(key.value.inQuotes), which the manifest does not list under settings",
            remedy: NearestWord.to(key.value, among: draft.settings.keys.sorted()).map { "write \"\($0)\"" }
                ?? "add it to settings, with its default value"
        )
        return nil
    }
}
