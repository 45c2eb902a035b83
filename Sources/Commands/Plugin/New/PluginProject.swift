// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The files of a new plugin, which build, pass their test and pass `plugin check` as they are.
struct PluginProject {
    struct File: Hashable {
        /// Path in the directory of the project.
        let path: String
        let contents: String
    }

    let identifier: PluginIdentifier
    let language: PluginLanguage
    /// The main plugin of an extension; nil for a main plugin.
    let main: PluginIdentifier?
    /// Identifier of the plugin's task. An extension has no tasks: for it, a task of its main plugin.
    let task: TaskIdentifier
    let kind: PluginTaskKind

    /// Creates a project; nil when the identifier leaves no room for the name of a task.
    init?(
        _ identifier: PluginIdentifier,
        in language: PluginLanguage,
        kind: PluginTaskKind,
        extending main: PluginIdentifier? = nil
    ) {
        guard let task = TaskIdentifier("\(main ?? identifier).\(kind.work)") else { return nil }
        self.identifier = identifier
        self.kind = kind
        self.language = language
        self.main = main
        self.task = task
    }

    /// The name of library and files: the last part of the identifier, as a word that every language accepts.
    var name: String { Self.word(identifier.lastPart) }

    /// The name of the plugin's Swift module. The suffix `Plugin` keeps it apart from modules such as `Foundation`.
    private var module: String { name.prefix(1).uppercased() + name.dropFirst() + "Plugin" }

    private static func word(_ part: String) -> String {
        let word = part.replacing("-", with: "_")
        return word.first?.isLetter == true ? word : "plugin_\(word)"
    }

    // MARK: Files

    var files: [File] { common + sources }

    private var common: [File] {
        let shared: [File] =
            if main == nil {
                [
                    file("@NAME@.yaml", PluginTemplates.Shared.mainManifest),
                    file(language.test, PluginTemplates.Shared.mainTest),
                    file("README.md", PluginTemplates.Shared.mainReadme),
                ]
            } else {
                [
                    file("@NAME@.yaml", PluginTemplates.Shared.extensionManifest),
                    file("tests/main.yaml", PluginTemplates.Shared.standIn),
                    file(language.test, PluginTemplates.Shared.extensionTest),
                    file("README.md", PluginTemplates.Shared.extensionReadme),
                ]
            }
        let ignored = (language.built + ["lib@NAME@.so", "@NAME@_test"]).map { "/\($0)" }.joined(separator: "\n")
        return shared + [file("Makefile", PluginTemplates.Make.makefile), file(".gitignore", ignored)]
    }

    private var sources: [File] {
        let isMain = main == nil
        switch language {
        case .c: return [file("@NAME@.c", isMain ? PluginTemplates.C.main : PluginTemplates.C.extension)]
        case .cxx: return [file("@NAME@.cpp", isMain ? PluginTemplates.Cxx.main : PluginTemplates.Cxx.extension)]
        case .swift:
            let source = isMain ? PluginTemplates.Swift.main : PluginTemplates.Swift.extension
            return [
                file("Package.swift", PluginTemplates.Swift.package), file("Sources/@MODULE@/@MODULE@.swift", source),
            ]
        case .rust:
            return [
                file("Cargo.toml", PluginTemplates.Rust.package),
                file("src/lib.rs", isMain ? PluginTemplates.Rust.main : PluginTemplates.Rust.extension),
                file("src/bgtask.rs", PluginTemplates.Rust.bindings),
            ]
        case .go:
            return [
                file("go.mod", PluginTemplates.Go.module),
                file("plugin.go", isMain ? PluginTemplates.Go.main : PluginTemplates.Go.extension),
                file("plugin.c", isMain ? PluginTemplates.Go.mainEntry : PluginTemplates.Go.extensionEntry),
                file("plugin.h", PluginTemplates.Go.header),
            ]
        }
    }

    // MARK: Places of names

    private func file(_ path: String, _ template: String) -> File {
        File(path: filled(path), contents: filled(template) + "\n")
    }

    /// The template with its placeholders, such as `@NAME@`, replaced by `values`. The order of `values` matters,
    /// because the first values contain placeholders themselves.
    private func filled(_ template: String) -> String {
        var text = template
        for (place, value) in values { text = text.replacing("@\(place)@", with: value) }
        return text
    }

    private var values: [(place: String, value: String)] {
        [
            ("VARIABLES", main == nil ? language.variables : language.variables + Self.mainVariable),
            ("BUILD", language.buildRule),
            ("NEIGHBOURS", main == nil ? "" : " --with $(MAIN) --plugins ."),
            ("TRIED", main == nil ? task.text : "trigger"),
            ("COMPILER", language.testCompiler),
            ("TEST", language.test),
            ("BUILT", language.built.joined(separator: " ")),
            ("REQUIREMENTS", language.requirements),
            ("LANGUAGE", language.name),
            ("REQUEST", kind.request(in: language)),
            ("CONSTANT", kind.work.uppercased()),
            ("TYPE", kind.work.prefix(1).uppercased() + kind.work.dropFirst()),
            ("WORK", kind.work),
            ("MODE", kind.mode),
            ("IDENTIFIER", identifier.text),
            ("MAIN", main?.text ?? ""),
            ("TASK", task.text),
            ("MODULE", module),
            ("NAME", name),
        ]
    }

    private static let mainVariable =
        "# The manifest of the main plugin. The default stands in for it.\nMAIN ?= tests/main.yaml\n"
}

extension PluginIdentifier {
    /// The part behind the last dot.
    var lastPart: String { text.split(separator: ".").last.map(String.init) ?? text }

    /// The identifier without its last part; nil when the rest is no identifier.
    var parent: PluginIdentifier? { PluginIdentifier(text.split(separator: ".").dropLast().joined(separator: ".")) }
}
