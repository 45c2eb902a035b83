// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

/// The plugins of the fuzzed host, and their first requests.
enum SamplePlugins {
    static let all: [PluginEntry] = [main, keyboard].compactMap(\.self)

    static let permitted: [PermittedIdentifier] = [
        "com.example.app.feed", "com.example.app.clean", "com.example.app.study", "com.example.app.export.*",
    ].compactMap { PermittedIdentifier($0) }

    /// A request of each kind. Background requests begin late, so that all of them are pending at once.
    static let requests: [TaskRequest] = [
        request("com.example.app.feed", .refresh), request("com.example.app.clean", .processing),
        request("com.example.app.study", .healthResearch),
        request("com.example.app.export.first", .continued, ContinuedTerms(title: "Exporting")),
    ].compactMap(\.self)

    private static func request(_ text: String, _ kind: TaskKind, _ continued: ContinuedTerms? = nil) -> TaskRequest? {
        let begin = kind == .continued ? nil : WallTime(nanoseconds: 1_767_300_000 * 1_000_000_000)
        return TaskIdentifier(text).map {
            TaskRequest(identifier: $0, kind: kind, earliestBegin: begin, continued: continued)
        }
    }

    private static let main = PluginIdentifier("com.example.app").map { identifier in
        PluginEntry(
            identifier: identifier,
            name: "App",
            version: "1.0",
            role: .main,
            extensions: [PluginIdentifier("com.example.app.keyboard")].compactMap(\.self),
            permitted: permitted,
            modes: [.fetch, .processing],
            entitlements: [.healthResearch, .continuedProcessingGPU],
            library: library("App"),
            manifestPath: "/manifests/app.yaml",
            manifestDigest: "manifest of the app"
        )
    }

    private static let keyboard = PluginIdentifier("com.example.app.keyboard").map { identifier in
        PluginEntry(
            identifier: identifier,
            name: "Keyboard",
            version: "1.0",
            role: .extension,
            containingPlugin: PluginIdentifier("com.example.app"),
            permitted: [],
            modes: [],
            library: library("Keyboard"),
            manifestPath: "/manifests/keyboard.yaml",
            manifestDigest: "manifest of the keyboard"
        )
    }

    private static func library(_ name: String) -> LibraryFile {
        LibraryFile(
            path: "/plugins/lib\(name).so",
            digest: "library of \(name)",
            identity: FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)
        )
    }
}
