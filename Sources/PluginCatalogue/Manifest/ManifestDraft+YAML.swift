// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

extension ManifestDraft {
    /// Version of the manifest format that this host reads.
    static let offeredFormat = 1

    private enum RoleWord: String, CaseIterable {
        case main
        case `extension`
    }

    init(yaml root: DiagnosingMapping) {
        format = .yaml
        Self.checkFormat(root)
        requires = root.strings(.requires)

        root.requirePresence(of: .identifier, remedy: "write the plugin's reverse-DNS name")
        identifier = root.string(.identifier)
        name = root.string(.name)
        version = root.string(.version)
        role = Self.role(root)
        if let named = root.string(.containingPlugin) {
            containing = .named(named)
        } else if role == .extension {
            root.requirePresence(of: .containingPlugin, remedy: "name the main plugin that lists this extension")
        }

        extensionPoint = root.choice(ManifestKey.extensionPoint.name, of: ExtensionPoint.self)
        root.requirePresence(of: .library, remedy: "name the plugin's .so file")
        library = root.variants(.library)
        pinnedDigest = root.variants(.sha256)
        files = root.fieldsOfVariants(.files)
        mainBundle = root.mainBundle(.mainBundle).map { .keys($0) }
        modes = root.strings(.backgroundModes)
        permitted = root.strings(.permittedIdentifiers)
        extensions = root.strings(.extensions)
        for (key, value) in root.settings(.settings) {
            if let value { settings[key] = value } else { secrets.insert(key) }
        }

        let place = root.presence(of: .limits)
        limits = root.mapping(.limits) { limits in
            PluginLimits(
                memory: limits.byteSize(ManifestKey.limitsMemory.name, in: PluginLimits.memoryRange)?.value,
                processes: limits.integer(ManifestKey.limitsProcesses.name, in: PluginLimits.processRange)?.value,
                fileSize: limits.byteSize(ManifestKey.limitsFileSize.name, in: PluginLimits.fileSizeRange)?.value
            )
        }.flatMap { value in place?.map { value } }
        grants = root.mapping(.grants) { GrantsDraft($0) }
        bindsFunctions = root.presence(of: .handlers) != nil
        handlers = root.mappings(inList: ManifestKey.handlers.name, HandlerDraft.init)
        retryPlace = root.presence(of: .retry)
        retries = root.mappings(ManifestKey.retry.name) { ($0, FailureRetry().overridden(by: $1.failureRetryValues())) }
    }

    private static func checkFormat(_ root: DiagnosingMapping) {
        root.requirePresence(of: .manifest, remedy: "write manifest: \(offeredFormat)")
        guard let number = root.integer(.manifest), number.value != offeredFormat else { return }
        root.problems.report(
            .format,
            at: number,
            "is format \(number.value); this version of bgtask reads format \(offeredFormat)",
            remedy: number.value > offeredFormat
                ? "upgrade bgtaskd, or install a manifest of format \(offeredFormat)"
                : "write manifest: \(offeredFormat)"
        )
    }

    /// Role of the plugin; a main plugin when the key is missing. Nil when an invalid role was reported.
    private static func role(_ root: DiagnosingMapping) -> PluginRole? {
        guard root.presence(of: .role) != nil else { return .main }
        return root.choice(ManifestKey.role.name, of: RoleWord.self).map { $0.value == .main ? .main : .extension }
    }
}
