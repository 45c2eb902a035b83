// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

extension ManifestDraft {
    /// Reads the keys that bgtask supports; other keys belong to other systems.
    init(propertyList root: PropertyListFile) {
        format = .propertyList
        requires = root.strings(.requires)
        identifier = root.requiredString(.identifier, remedy: "add the plugin's reverse-DNS name")
        name = root.string(.name)
        version = root.string(.version)
        library = root.requiredString(.library, remedy: "add the name of the plugin's library")
            .map { .one($0.map(Self.libraryName)) }
        permitted = root.strings(.permittedIdentifiers)
        modes = root.strings(.backgroundModes)
        if root.boolean(.mainBundle)?.value == true { mainBundle = .file(root.bytes) }
        grants = GrantsDraft(propertyList: root)
        role = root.holds(.role) ? .extension : .main
        if role == .extension { containing = .byPrefix }
        root.reportUnknownKeys(
            withPrefix: Self.ownPrefix,
            known: ManifestKey.allCases.compactMap(\.propertyListKey).filter { $0.hasPrefix(Self.ownPrefix) }
        )
    }

    /// The beginning of the keys that only bgtask reads. Apple's keys, and those of other systems, never begin with it.
    static let ownPrefix = "bgtask-"

    /// File name of the library: `Feed` becomes `libFeed.so`; `libFeed.so`, `libFeed.so.2` and paths stay unchanged.
    private static func libraryName(_ executable: String) -> String {
        let isWhole = executable.hasSuffix(".so") || executable.contains(".so.") || executable.contains("/")
        return isWhole ? executable : "lib\(executable).so"
    }
}

extension GrantsDraft {
    /// Reads the grants that correspond to Apple's entitlements, `gpu` and `health-research`, from keys of the property
    /// list. Apple's format has entitlements in a separate file.
    fileprivate init(propertyList root: PropertyListFile) {
        gpu = root.boolean(.grantsGPU)?.value ?? false
        healthResearch = root.boolean(.grantsHealthResearch)
    }
}

extension ManifestKey {
    /// The key of a property list with the meaning of this key; nil when property lists have none.
    var propertyListKey: String? {
        switch self {
        case .requires: "\(ManifestDraft.ownPrefix)requires"
        case .identifier: "CFBundleIdentifier"
        case .name: "CFBundleName"
        case .version: "CFBundleShortVersionString"
        case .role: "NSExtension"
        case .library: "CFBundleExecutable"
        case .mainBundle: "\(ManifestDraft.ownPrefix)main-bundle"
        case .backgroundModes: "UIBackgroundModes"
        case .permittedIdentifiers: "BGTaskSchedulerPermittedIdentifiers"
        case .grantsGPU: "com.apple.developer.background-tasks.continued-processing.gpu"
        case .grantsHealthResearch: "com.apple.developer.backgroundtasks.healthresearch"
        case .manifest, .containingPlugin, .extensionPoint, .sha256, .files, .handlers, .handlersIdentifier,
            .handlersSymbol,
            .handlersArguments, .handlersReturns, .retry, .retryAttempts, .retryDelay, .retryBackoff, .retryJitter,
            .extensions, .grants, .grantsNetwork, .grantsNetworkConnect, .grantsNetworkListen, .grantsUnix,
            .grantsProcesses, .grantsRead, .grantsWrite, .grantsExecute, .grantsSettings, .limits, .limitsMemory,
            .limitsProcesses, .limitsFileSize, .settings:
            nil
        }
    }
}

// Reads by manifest key. A key without an equivalent in property lists has no value.
extension PropertyListFile {
    fileprivate func requiredString(_ key: ManifestKey, remedy: String) -> Field<String>? {
        key.propertyListKey.flatMap { requiredString($0, remedy: remedy) }
    }
    fileprivate func string(_ key: ManifestKey) -> Field<String>? { key.propertyListKey.flatMap { string($0) } }
    fileprivate func strings(_ key: ManifestKey) -> Field<[Field<String>]>? {
        key.propertyListKey.flatMap { strings($0) }
    }
    fileprivate func boolean(_ key: ManifestKey) -> Field<Bool>? { key.propertyListKey.flatMap { boolean($0) } }
    fileprivate func holds(_ key: ManifestKey) -> Bool { key.propertyListKey.map { holds($0) } ?? false }
}
