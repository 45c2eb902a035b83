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
        entitlements = Self.entitlements(root)
        role = root.holds(.role) ? .extension : .main
        if role == .extension { containing = .byPrefix }
        root.reportUnknownKeys(
            withPrefix: Self.ownPrefix,
            known: ManifestKey.allCases.compactMap(\.propertyListKey).filter { $0.hasPrefix(Self.ownPrefix) }
        )
    }

    /// The beginning of the keys that only bgtask reads. Apple's keys, and those of other systems, never begin with it.
    static let ownPrefix = "bgtask-"

    /// The entitlements, which are keys of the property list itself; nil when there are none. Apple's format has them
    /// in a separate file.
    private static func entitlements(_ root: PropertyListFile) -> Field<[Field<String>]>? {
        let claimed = Entitlement.allCases.compactMap { entitlement -> Field<String>? in
            guard let flag = root.boolean(entitlement.propertyListKey), flag.value else { return nil }
            return flag.map { _ in entitlement.rawValue }
        }
        guard let first = claimed.first else { return nil }
        return first.map { _ in claimed }
    }

    /// File name of the library: `Feed` becomes `libFeed.so`; `libFeed.so`, `libFeed.so.2` and paths stay unchanged.
    private static func libraryName(_ executable: String) -> String {
        let isWhole = executable.hasSuffix(".so") || executable.contains(".so.") || executable.contains("/")
        return isWhole ? executable : "lib\(executable).so"
    }
}

extension Entitlement {
    fileprivate var propertyListKey: String {
        switch self {
        case .continuedProcessingGPU: "com.apple.developer.background-tasks.continued-processing.gpu"
        case .healthResearch: "com.apple.developer.backgroundtasks.healthresearch"
        }
    }
}

extension ManifestKey {
    /// The key of a property list with the meaning of this key; nil when Apple's format has none. Entitlements are keys
    /// of their own.
    var propertyListKey: String? {
        switch self {
        case .requires: "\(ManifestDraft.ownPrefix)requires"
        case .identifier: "CFBundleIdentifier"
        case .name: "CFBundleName"
        case .version: "CFBundleShortVersionString"
        case .role: "NSExtension"
        case .library: "CFBundleExecutable"
        case .backgroundModes: "UIBackgroundModes"
        case .permittedIdentifiers: "BGTaskSchedulerPermittedIdentifiers"
        case .manifest, .containingPlugin, .sha256, .files, .handlers, .handlersIdentifier, .handlersSymbol,
            .handlersArguments,
            .handlersReturns, .extensions, .entitlements, .grants, .grantsNetwork, .grantsNetworkConnect,
            .grantsNetworkListen, .grantsUnix, .grantsGPU, .grantsProcesses, .grantsRead,
            .grantsWrite, .grantsExecute, .grantsSettings, .limits, .limitsMemory, .limitsProcesses, .settings:
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
    fileprivate func holds(_ key: ManifestKey) -> Bool { key.propertyListKey.map { holds($0) } ?? false }
}
