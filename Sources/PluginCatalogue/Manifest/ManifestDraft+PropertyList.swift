// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

extension ManifestDraft {
    /// Reads the keys that bgtask supports; other keys belong to other systems.
    init(propertyList root: PropertyListFile) {
        format = .propertyList
        identifier = root.requiredString("CFBundleIdentifier", remedy: "add the plugin's reverse-DNS name")
        name = root.string("CFBundleName")
        version = root.string("CFBundleShortVersionString")
        library = root.requiredString("CFBundleExecutable", remedy: "add the name of the plugin's library")
            .map { $0.map(Self.libraryName) }
        permitted = root.strings("BGTaskSchedulerPermittedIdentifiers")
        modes = root.strings("UIBackgroundModes")
        entitlements = Self.entitlements(root)
        role = root.holds("NSExtension") ? .extension : .main
        if role == .extension { containing = .byPrefix }
    }

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
