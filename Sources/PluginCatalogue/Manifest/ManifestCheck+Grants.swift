// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for the grants of a manifest.
extension ManifestCheck {
    func grants() -> Grants {
        guard let grants = draft.grants else { return .none }
        return Grants(
            network: grants.network,
            processes: grants.processes,
            read: grants.read.compactMap(grantedPath),
            write: grants.write.compactMap(grantedPath),
            execute: grants.execute.compactMap(grantedPath),
            settings: grants.settings.compactMap(grantedSetting)
        )
    }

    private func grantedPath(_ path: Field<String>) -> String? {
        let parts = path.value.split(separator: "/")
        if path.value.hasPrefix("/"), !parts.contains(".."), !parts.contains(".") { return path.value }
        problems.report(
            .wrongValue,
            at: path,
            "is \(path.value.inQuotes), not an absolute path without . and ..",
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
                "is \(key.value.inQuotes), which is a secret, while granted paths are shown",
                remedy: "write a default value for \(key.value) instead of { secret: true }"
            )
            return nil
        }
        problems.report(
            .wrongValue,
            at: key,
            "is \(key.value.inQuotes), which the manifest does not list under settings",
            remedy: draft.settings.isEmpty
                ? "add it to settings, with its default value"
                : NearestWord.remedy(for: key.value, among: draft.settings.keys.sorted())
        )
        return nil
    }
}
