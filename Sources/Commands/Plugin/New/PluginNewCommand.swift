// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import LinuxSystem
import TaskModel

/// `bgtask plugin new`: writes the files of a new plugin.
struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write the files of a new plugin.",
        discussion: """
            Writes source, manifest, Makefile, README and a test into a new directory. "make" builds the plugin. "make \
            check" tests it with a fake host, and checks it as a host does. Existing files are never overwritten.

            Example:
              bgtask plugin new com.example.hello --language c --kind processing
              bgtask plugin new com.example.hello.keyboard --language c++ --role extension
            """
    )

    @Argument(
        help: "The plugin's identifier, a reverse-DNS name.",
        transform: IdentifierArgument.plugin
    )
    var name: PluginIdentifier

    @Option(
        help: ArgumentHelp("The language: c, c++, swift, rust or go.", valueName: "language"),
        completion: .words(PluginLanguage.allCases, \.rawValue),
        transform: { try WordArgument.value($0, among: PluginLanguage.allCases, \.rawValue) }
    )
    var language: PluginLanguage

    @Option(
        help: ArgumentHelp("The kind of the task: refresh (default) or processing.", valueName: "kind"),
        completion: .words(PluginTaskKind.allCases, \.rawValue),
        transform: { try WordArgument.value($0, among: PluginTaskKind.allCases, \.rawValue) }
    )
    var kind: PluginTaskKind = .refresh

    @Option(
        help: ArgumentHelp("The role: main (default), or extension, which submits for its main.", valueName: "role"),
        completion: .words(PluginRole.allCases, \.name),
        transform: { try WordArgument.value($0, among: PluginRole.allCases, \.name) }
    )
    var role: PluginRole = .main

    @Option(
        help: ArgumentHelp(
            "The main plugin of an extension; by default the identifier without its last part.",
            valueName: "identifier"
        ),
        transform: IdentifierArgument.plugin
    )
    var main: PluginIdentifier?

    @Option(
        help: ArgumentHelp(
            "The directory for the files; by default a new one with the last part of the identifier as its name.",
            valueName: "directory"
        )
    )
    var directory: String?

    func validate() throws { _ = try project() }

    func run() throws {
        let project = try project()
        let directory = directory ?? project.identifier.lastPart
        let files = project.files
        let paths = files.map { FilePlace.absolute("\(directory)/\($0.path)") }
        if let existing = paths.first(where: FileManager.default.fileExists) {
            throw CommandFailure(
                .refused,
                "\(existing) exists, and existing files are not overwritten; name another directory with --directory"
            )
        }
        for (file, path) in zip(files, paths) { try write(file.contents, to: path) }
        try CommandContext.current.write(files.map { "\(directory)/\($0.path)\n" }.joined())
        CommandContext.current.writeMessage("next: cd \(directory) && make && make check")
    }

    private func write(_ text: String, to path: String) throws {
        do {
            let place = URL(filePath: path)
            let directory = place.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place, options: .withoutOverwriting)
        } catch {
            throw CommandFailure(
                .refused,
                "cannot write \(path): \(error.localizedDescription); name a directory that you may write to"
            )
        }
    }

    private func project() throws -> PluginProject {
        if role == .main, main != nil {
            throw ValidationError("--main has no meaning for a main plugin; add --role extension, or leave --main out")
        }
        let containing = main ?? name.parent
        if role == .extension, containing == nil {
            throw ValidationError("\(name) does not contain the identifier of its main plugin; name it with --main")
        }
        let extended = role == .extension ? containing : nil
        guard let project = PluginProject(name, in: language, kind: kind, extending: extended) else {
            let owner = extended ?? name
            throw ValidationError(
                "the task identifier \(owner).\(kind.work) would have more than \(ReverseDNSName.maximumLength) bytes;"
                    + " shorten \(owner)"
            )
        }
        return project
    }
}
