// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A manifest with its files that has one defect, and the check of `bgtask plugin check` at level 0 that finds it.
package struct StaticFixture: Sendable, CustomStringConvertible {
    package let check: String
    /// The defect, as Documentation/Conformance.md names it.
    package let defect: String
    /// Whether the check only warns.
    let isWarning: Bool
    /// A plugin of `Tests/MisbehavingPlugins`, with the flags of its compiler.
    private let source: String
    private let flags: [String]
    /// Lines of the manifest after those that every fixture has.
    private let lines: [String]
    /// The text of the whole manifest; nil for the manifest of `lines`.
    private let manifest: String?
    /// Text in place of the library; empty for a missing library, nil for the compiled one.
    private let library: String?
    /// The contents of further files beside the manifest, by file name.
    private let files: [String: String]
    /// Whether the library needs another one, which the loader does not find.
    private let needsMissing: Bool

    package var failing: String? { isWarning ? nil : check }
    package var warning: String? { isWarning ? check : nil }
    package var description: String { "\(check): \(defect)" }

    private init(
        _ check: String,
        _ defect: String,
        isWarning: Bool = false,
        of source: String = "Obedient",
        flags: [String] = [],
        _ lines: [String] = [],
        manifest: String? = nil,
        library: String? = nil,
        files: [String: String] = [:],
        needsMissing: Bool = false
    ) {
        self.check = check
        self.defect = defect
        self.isWarning = isWarning
        self.source = source
        self.flags = flags
        self.lines = lines
        self.manifest = manifest
        self.library = library
        self.files = files
        self.needsMissing = needsMissing
    }

    /// Writes manifest, library and further files into a directory, and returns the path of the manifest.
    package func install(in directory: ScratchDirectory) async throws -> String {
        var flags = flags
        if needsMissing {
            let needed = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
            // The loader searches for libplain.so.
            flags += ["-Wl,--no-as-needed", try directory.write(needed, to: "libhelper.so")]
        }
        if library == nil {
            try directory.write(try await PluginCompiler.library(source, flags: flags), to: "lib\(source).so")
        } else if let library, !library.isEmpty {
            try directory.write(library.utf8, to: "lib\(source).so")
        }
        for (name, text) in files { try directory.write(text.utf8, to: name) }
        let text = manifest ?? (Self.head(source) + lines).joined(separator: "\n") + "\n"
        return try directory.write(text.utf8, to: "\(source).yaml")
    }

    private static func head(_ source: String) -> [String] {
        ["manifest: 1", "identifier: com.example.\(source.lowercased())", "library: lib\(source).so"]
    }

    private static let digest = String(repeating: "a", count: 64)
    private static let shared = ["background-modes: [processing]", "permitted-identifiers: [com.example.shared.task]"]

    #if arch(x86_64)
        private static let machines = (own: "x86_64", other: "aarch64")
    #else
        private static let machines = (own: "aarch64", other: "x86_64")
    #endif

    /// At least one fixture for each check of level 0.
    package static let all = manifests + libraries + surroundings

    private static let manifests = [
        StaticFixture("manifest-readable", "bytes that are no text", manifest: "\u{0}\u{1}"),
        StaticFixture("manifest-requires", "an unknown feature", ["requires: [manifest.retry]", "retry: {}"]),
        StaticFixture("manifest-keys", "an unknown key", ["rolle: main"]),
        StaticFixture(
            "manifest-identifiers",
            "an identifier with an empty part",
            ["permitted-identifiers: [com.example..task]"]
        ),
        StaticFixture("manifest-modes", "the mode processing without identifiers", ["background-modes: [processing]"]),
        StaticFixture(
            "manifest-role",
            "a main plugin with a containing plugin",
            ["containing-plugin: com.example.neighbour"]
        ),
        StaticFixture(
            "manifest-handlers",
            "a bound function without a cancel flag",
            isWarning: true,
            of: "Plain",
            [
                "background-modes: [processing]", "permitted-identifiers: [com.example.task]", "handlers:",
                "  - identifier: com.example.task", "    symbol: plain_stay", "    arguments: []", "    returns: void",
            ]
        ),
        StaticFixture("library-pinned", "another digest", ["sha256: \(digest)"]),
        StaticFixture("files-pinned", "pinned files without a pinned library", ["files: { data.txt: \(digest) }"]),
    ]

    private static let libraries = [
        StaticFixture("library-found", "a missing library", library: ""),
        StaticFixture(
            "library-architectures",
            "a missing library of another architecture",
            isWarning: true,
            manifest: """
                manifest: 1
                identifier: com.example.obedient
                library: { \(machines.own): libObedient.so, \(machines.other): lib/other.so }

                """
        ),
        StaticFixture("elf-static", "a text file", library: "no library\n"),
        StaticFixture("elf-note", "no note", of: "NoNote"),
        StaticFixture("elf-note", "a later major version", of: "NewerMajor"),
        StaticFixture("elf-note", "a later minor version", of: "NewerMinor"),
        StaticFixture("elf-exports", "no entry", of: "NoEntrySymbol"),
        StaticFixture("elf-search-path", "a relative search path", flags: ["-Wl,-rpath,lib"]),
        StaticFixture("elf-dependencies", "a needed library that is missing", needsMissing: true),
        StaticFixture("elf-undefined", "an undefined symbol", of: "UsesMissingFunction"),
        StaticFixture("elf-text-relocations", "text relocations", of: "TextRelocations", flags: ["-Wl,-z,notext"]),
        StaticFixture("elf-dlopen-flags", "the flag nodlopen", flags: ["-Wl,-z,nodlopen"]),
        StaticFixture("elf-hardened", "an executable stack", isWarning: true, flags: ["-Wl,-z,execstack"]),
    ]

    private static let surroundings = [
        StaticFixture("provenance", "a malformed signature", files: ["Obedient.yaml.sig": "no signature\n"]),
        StaticFixture(
            "identifier-free",
            "an identifier of another manifest",
            files: ["A.yaml": head("Obedient").joined(separator: "\n") + "\n"]
        ),
        StaticFixture(
            "task-identifiers-free",
            "a task identifier of another plugin",
            shared,
            files: [
                "A.yaml": (["manifest: 1", "identifier: com.example.first", "library: libObedient.so"] + shared)
                    .joined(separator: "\n") + "\n"
            ]
        ),
        StaticFixture(
            "containing-plugin",
            "a missing main plugin",
            ["role: extension", "containing-plugin: com.example.neighbour"]
        ),
    ]
}
