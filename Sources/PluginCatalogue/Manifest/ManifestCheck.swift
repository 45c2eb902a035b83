// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Checks one draft against all rules for a single file, and reports every violation.
struct ManifestCheck {
    private static let longestText = 255

    let draft: ManifestDraft
    /// The host whose verdict the check gives.
    let host: ManifestHost
    let problems: ProblemCollector

    /// The result of the check. The manifest is nil after an error, here or while the draft was read. The library is
    /// nil when its name is invalid, and when the manifest has none for the architecture of the host.
    func outcome() -> (manifest: Manifest?, library: LibraryReference?) {
        let requires = requires()
        let identifier = draft.identifier.flatMap(pluginIdentifier)
        let name = draft.name.flatMap(shortText)
        let version = draft.version.flatMap(shortText)
        let library = library()
        let modes = modes()
        let permitted = permitted(of: identifier?.value)
        let handlers = handlers(permitted: permitted, modes: modes)
        let retries = retries(permitted: permitted)
        let containing = containing(identifier: identifier?.value)
        let extensions = extensions(of: identifier?.value)
        let entitlements = entitlements()
        let grants = grants()
        checkDownloads(with: grants)
        checkRole()
        checkProcessing()
        checkHealthResearch(with: modes)
        checkOffers()

        guard let identifier, let library, let role = draft.role, !problems.holdsErrors else {
            return (nil, library)
        }
        let manifest = Manifest(
            requires: requires,
            identifier: identifier,
            name: name ?? identifier.value.text,
            version: version ?? "",
            role: role,
            containing: containing,
            extensionPoint: draft.extensionPoint?.value ?? .trigger,
            extensions: extensions,
            permitted: permitted,
            modes: modes,
            entitlements: entitlements,
            settings: draft.settings,
            secrets: draft.secrets.sorted(),
            handlers: handlers,
            retries: retries,
            library: library,
            mainBundle: information(identifier.value, name: name, version: version, permitted, modes),
            limits: draft.limits?.value ?? .none,
            grants: grants
        )
        return (manifest, library)
    }

    /// The contents of the file `Info.plist`; nil when the plugin requests no main bundle. A property list is its own
    /// `Info.plist`, with all keys of the vendor.
    private func information(
        _ identifier: PluginIdentifier,
        name: String?,
        version: String?,
        _ permitted: [Field<PermittedIdentifier>],
        _ modes: Set<BackgroundMode>
    ) -> [UInt8]? {
        switch draft.mainBundle {
        case nil: return nil
        case .file(let bytes): return bytes
        case .keys(let added):
            let list = InfoPropertyList(
                identifier: identifier.text,
                name: name ?? identifier.text,
                version: version,
                permitted: permitted.map(\.value.description),
                modes: modes.map(\.rawValue).sorted(),
                adding: added
            )
            return Array(list.text.utf8)
        }
    }

    // MARK: Single values

    func pluginIdentifier(_ field: Field<String>) -> Field<PluginIdentifier>? {
        if let identifier = PluginIdentifier(field.value) { return field.map { _ in identifier } }
        problems.reportIdentifier(field)
        return nil
    }

    private func shortText(_ field: Field<String>) -> String? {
        let text = field.value
        let isPlain = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if !text.isEmpty, text.utf8.count <= Self.longestText, isPlain { return text }
        problems.report(
            .wrongValue,
            at: field,
            "is \(text.inQuotes), not one line of 1 to \(Self.longestText) bytes without control characters",
            remedy: "write one short line"
        )
        return nil
    }
}
