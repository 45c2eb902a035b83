// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules that relate several keys of a manifest, and the note that not every host enforces `limits`.
extension ManifestCheck {
    func containing(identifier: PluginIdentifier?) -> Manifest.ContainingPlugin? {
        switch draft.containing {
        case nil: return nil
        case .byPrefix: return .byPrefix
        case .named(let field):
            if draft.role == .main {
                problems.report(
                    .role,
                    at: field,
                    "names a main plugin, but this manifest has the role main itself",
                    remedy: "write role: extension, or remove the key"
                )
                return nil
            }
            guard let main = PluginIdentifier(field.value) else {
                problems.reportIdentifier(field, remedy: "write the identifier of the main plugin")
                return nil
            }
            if main == identifier {
                problems.report(
                    .role,
                    at: field,
                    "is the extension itself",
                    remedy: "write the identifier of the main plugin"
                )
            }
            return .named(field.map { _ in main })
        }
    }

    func checkRole() {
        guard draft.role == .extension else {
            if draft.role == .main, let point = draft.extensionPoint {
                problems.report(
                    .role,
                    at: point.map { _ in },
                    "is not allowed in the manifest of a main plugin, which its tasks launch",
                    remedy: "move it to the manifest of an extension"
                )
            }
            return
        }
        let lists = [draft.permitted, draft.modes, draft.extensions].compactMap(\.self)
        let study = draft.grants?.healthResearch.flatMap { $0.value ? $0.map { _ in } : nil }
        let places = lists.filter { !$0.value.isEmpty }.map { $0.map { _ in } }
        for place in places + [study, draft.handlers.map { $0.map { _ in } }, draft.retryPlace].compactMap(\.self) {
            problems.report(
                .role,
                at: place,
                "is not allowed in the manifest of an extension, which only submits requests for its main plugin",
                remedy: "move it to the main plugin's manifest"
            )
        }
    }

    /// The key of the permitted identifiers in the manifest's format.
    private var permittedKey: String {
        let list = ManifestKey.permittedIdentifiers
        return draft.format == .yaml ? list.rawValue : list.propertyListKey ?? list.rawValue
    }

    func checkProcessing() {
        guard draft.role == .main, let mode = draft.modes?.value.first(where: { $0.value == "processing" }) else {
            return
        }
        let key = permittedKey
        // A list with reported errors is not reported as missing.
        guard draft.permitted?.value.isEmpty ?? true, !problems.holdsErrors(under: key) else { return }
        problems.report(
            .processingNeedsIdentifiers,
            at: mode,
            "is \"processing\", but the manifest permits no identifier that could be submitted for it",
            remedy: "name identifiers under \(key), or remove the mode"
        )
    }

    /// Notes a grant of health research requests in a manifest without the background mode `processing`. It has no
    /// effect: it is harmless, but the author expects an effect that the host does not provide.
    func checkHealthResearch(with modes: Set<BackgroundMode>) {
        guard draft.role == .main, let grant = draft.grants?.healthResearch, grant.value, !modes.contains(.processing)
        else { return }
        problems.note(
            .meaninglessGrant,
            at: grant,
            "has no effect without the background mode processing, which the manifest does not list",
            remedy: "add processing to the background modes, or remove the grant"
        )
    }

    func checkOffers() {
        guard let limits = draft.limits else { return }
        // Every host enforces the limit of a file's size.
        if limits.value.fileSize != nil, limits.value.memory == nil, limits.value.processes == nil { return }
        let place = limits.map { _ in }
        problems.note(
            .notEnforced,
            at: place,
            "is enforced only by hosts with control groups, except limits.file-size, which every host enforces; hosts"
                + " with a user for each plugin also enforce limits.processes",
            remedy: "see the guarantees memory and processes in: bgtask host status"
        )
    }
}
