// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// The rule for the key `requires`: the host has every required feature.
extension ManifestCheck {
    /// The required features that the host has, each once. Reports each other required feature.
    func requires() -> [String] {
        let fields = draft.requires?.value ?? []
        let missing = Set(HostFeatures.missing(of: fields.map(\.value), offered: host.features))
        var seen: Set<String> = []
        return fields.compactMap { field in
            if !seen.insert(field.value).inserted {
                noteRepeated(field)
                return nil
            }
            if !missing.contains(field.value) { return field.value }
            report(missing: field)
            return nil
        }
    }

    private func report(missing field: Field<String>) {
        let nearest = NearestWord.to(field.value, among: host.features)
        problems.report(
            .requires,
            at: field,
            "is \(field.value.inQuotes), a feature that this version of bgtask does not have; it has"
                + " \(host.features.joined(separator: ", "))",
            remedy: "upgrade bgtaskd to a release with this feature, or "
                + (nearest.map { NearestWord.remedy(nearest: $0, meaning: "feature") }
                    ?? "install a version of the plugin that does not require it")
        )
    }
}
