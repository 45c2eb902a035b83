// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension PluginIdentifier {
    static let app: Self = "com.example.app"
    static let keyboard: Self = "com.example.app.keyboard"
    static let mail: Self = "com.example.mail"
}

extension TaskIdentifier {
    static let feed: Self = "com.example.app.feed"
    static let headlines: Self = "com.example.app.headlines"
    static let clean: Self = "com.example.app.clean"
    static let vacuum: Self = "com.example.app.vacuum"
    static let index: Self = "com.example.app.index"
    static let inbox: Self = "com.example.mail.inbox"
    static let sweep: Self = "com.example.mail.sweep"

    /// A task identifier that matches the pattern of the plugin `studio`.
    static func album(_ number: Int) -> Self { TaskIdentifier(stringLiteral: "com.example.app.export.album\(number)") }
    static let study: Self = "com.example.app.study"
    /// The push to the sample plugin.
    static let appPush: Self = .push(to: .app)

    /// One of twenty further task identifiers that the sample plugin permits.
    static func job(_ number: Int) -> Self { TaskIdentifier(stringLiteral: "com.example.app.job\(number)") }
}

extension PluginEntry {
    /// The sample plugin: a main plugin with both background modes. `version` stands for the contents of its manifest.
    static func app(
        version: String = "1.0",
        library: String = "1.0",
        permitted: [PermittedIdentifier]? = nil,
        modes: Set<BackgroundMode> = [.fetch, .processing],
        extensions: [PluginIdentifier] = [],
        retries: [PermittedIdentifier: FailureRetry] = [:],
        headerMinor: Int? = nil
    ) -> PluginEntry {
        let names: [TaskIdentifier] = [.feed, .headlines, .clean, .vacuum, .index] + (1...20).map { .job($0) }
        return main(
            .app,
            version: version,
            library: library,
            permitted: permitted ?? names.map { .exact($0) },
            modes: modes,
            extensions: extensions,
            retries: retries,
            headerMinor: headerMinor
        )
    }

    /// The sample plugin with the background mode for pushes.
    static func pushed(version: String = "1.0") -> PluginEntry {
        .app(version: version, modes: [.fetch, .processing, .remoteNotification])
    }

    /// The sample plugin with continued tasks under a pattern and, by default, every entitlement.
    static func studio(
        version: String = "1.0",
        modes: Set<BackgroundMode> = [.fetch, .processing],
        entitlements: Set<Entitlement> = Set(Entitlement.allCases),
        extensions: [PluginIdentifier] = [],
        retries: [PermittedIdentifier: FailureRetry] = [:],
        headerMinor: Int? = nil
    ) -> PluginEntry {
        let names: [TaskIdentifier] = [.feed, .clean, .vacuum, .index, .study] + (1...20).map { .job($0) }
        return main(
            .app,
            version: version,
            permitted: names.map { .exact($0) } + ["com.example.app.export.*"],
            modes: modes,
            entitlements: entitlements,
            extensions: extensions,
            retries: retries,
            headerMinor: headerMinor
        )
    }

    /// The sample plugin as a library with two bound functions and without an entry function.
    static func bound() -> PluginEntry {
        main(
            .app,
            permitted: [.exact(.clean), .exact(.vacuum)],
            handlers: [
                FunctionBinding(
                    identifier: .clean,
                    symbol: "logtrim_run",
                    arguments: [.string("/var/log"), .cancelFlag],
                    result: .int32(.zero)
                ),
                FunctionBinding(identifier: .vacuum, symbol: "vacuum", arguments: [.double(0.5)], result: .void),
            ]
        )
    }

    static func mail() -> PluginEntry { main(.mail, permitted: [.exact(.inbox), .exact(.sweep)]) }

    static func main(
        _ identifier: PluginIdentifier,
        version: String = "1.0",
        library: String = "1.0",
        permitted: [PermittedIdentifier],
        modes: Set<BackgroundMode> = [.fetch, .processing],
        entitlements: Set<Entitlement> = [],
        extensions: [PluginIdentifier] = [],
        secrets: [String] = [],
        handlers: [FunctionBinding] = [],
        retries: [PermittedIdentifier: FailureRetry] = [:],
        grants: Grants = .none,
        headerMinor: Int? = nil
    ) -> PluginEntry {
        PluginEntry(
            identifier: identifier,
            name: identifier.text,
            version: version,
            role: .main,
            extensions: extensions,
            permitted: permitted,
            modes: modes,
            entitlements: entitlements,
            secrets: secrets,
            handlers: handlers,
            retries: retries,
            grants: grants,
            library: LibraryFile(
                path: "/plugins/lib\(identifier).so",
                digest: "library of \(identifier) \(library)",
                identity: FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1),
                headerMinor: headerMinor
            ),
            manifestPath: "/manifests/\(identifier).yaml",
            manifestDigest: "manifest of \(identifier) \(version)"
        )
    }

    /// The sample extension, whose main plugin is `app`. `version` stands for the contents of its manifest.
    static func keyboard(version: String = "1.0", headerMinor: Int? = nil) -> PluginEntry {
        PluginEntry(
            identifier: .keyboard,
            name: "Keyboard",
            version: version,
            role: .extension,
            containingPlugin: .app,
            permitted: [],
            modes: [],
            library: LibraryFile(
                path: "/plugins/libKeyboard.so",
                digest: "library of the keyboard",
                identity: FileIdentity(device: 1, inode: 2, size: 1, modified: 1, changed: 1),
                headerMinor: headerMinor
            ),
            manifestPath: "/manifests/keyboard.yaml",
            manifestDigest: "manifest of the keyboard \(version)"
        )
    }
}

extension [PluginIdentifier: Bool] {
    /// Lock states of the containers of both sample plugins, without the plugins in `unseen`. Only the plugins in
    /// `locked` are locked.
    static func known(but unseen: Set<PluginIdentifier> = [], locked: Set<PluginIdentifier>) -> Self {
        Dictionary(
            uniqueKeysWithValues: [.app, .mail].filter { !unseen.contains($0) }.map { ($0, locked.contains($0)) }
        )
    }
}
