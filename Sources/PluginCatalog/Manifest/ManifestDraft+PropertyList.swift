// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

extension ManifestDraft {
    /// Reads the keys that have a meaning here; the others belong to other systems.
    init(propertyList root: PropertyListFile) {
        format = .propertyList
        identifier = root.requiredString("CFBundleIdentifier", remedy: "add the plugin's reverse-DNS name")
        name = root.string("CFBundleName")
        version = root.string("CFBundleShortVersionString")
        library = root.requiredString("CFBundleExecutable", remedy: "add the name of the plugin's library")
            .map { $0.map(Self.libraryName) }
        permitted = root.strings("BGTaskSchedulerPermittedIdentifiers")
        modes = root.strings("UIBackgroundModes")
        role = root.holds("NSExtension") ? .extension : .main
        if role == .extension { containing = .byPrefix }
    }

    /// `Feed` is `libFeed.so` here; `libFeed.so`, `libFeed.so.2` and every path are themselves.
    private static func libraryName(_ executable: String) -> String {
        let isWhole = executable.hasSuffix(".so") || executable.contains(".so.") || executable.contains("/")
        return isWhole ? executable : "lib\(executable).so"
    }
}
