// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import PluginCatalog

/// The flags of `bgtaskd`: every host-level key of the configuration file, which a flag wins over.
package struct HostOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file; by default the system's or the user's.", valueName: "file"))
    var config: String?
    @Flag(exclusivity: .exclusive, help: "Whose host this is; by default the system's for root, else the user's.")
    var owner: Owner?

    @Option(help: ArgumentHelp("The operator's manifests.", valueName: "folder"))
    var manifests: String?
    @Option(help: ArgumentHelp("The packages' manifests.", valueName: "folder"))
    var packageManifests: String?
    @Option(help: ArgumentHelp("Where libraries lie that are not beside their manifest.", valueName: "folder"))
    var pluginFolder: String?
    @Option(help: ArgumentHelp("The ledger and the plugins' containers.", valueName: "folder"))
    var stateFolder: String?
    @Option(help: ArgumentHelp("The socket of the control API.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("Whose members may use that socket.", valueName: "group"))
    var socketGroup: String?
    @Option(help: ArgumentHelp("The runner; by default the one beside this program.", valueName: "file"))
    var runner: String?
    @Option(
        help: ArgumentHelp("Where control groups of launches are made; none for no such groups.", valueName: "folder")
    )
    var cgroup: String?
    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("Whether the machine is on external power.", valueName: "true|false"))
    var externalPower: String?
    @Option(help: ArgumentHelp("Whether the machine has a network.", valueName: "true|false"))
    var network: String?
    @Option(help: ArgumentHelp("Pending refresh requests of a plugin.", valueName: "count"))
    var refreshLimit: String?
    @Option(help: ArgumentHelp("Pending processing requests of a plugin.", valueName: "count"))
    var processingLimit: String?
    @Option(help: ArgumentHelp("A launch's time with a refresh task.", valueName: "duration"))
    var refreshBudget: String?
    @Option(help: ArgumentHelp("A launch's time with a processing task.", valueName: "duration"))
    var processingBudget: String?
    @Option(help: ArgumentHelp("A launch's time with an event.", valueName: "duration"))
    var eventBudget: String?
    @Option(help: ArgumentHelp("The time between being told to stop and being ended.", valueName: "duration"))
    var grace: String?
    @Option(help: ArgumentHelp("The least time between two launches of a plugin.", valueName: "duration"))
    var spacing: String?
    @Option(help: ArgumentHelp("Background launches at once.", valueName: "count"))
    var backgroundLaunches: String?
    @Option(help: ArgumentHelp("Event launches at once.", valueName: "count"))
    var eventLaunches: String?
    @Option(help: ArgumentHelp("The wait after a first failed attempt; it doubles.", valueName: "duration"))
    var retryDelay: String?
    @Option(help: ArgumentHelp("Failed attempts until a task is abandoned.", valueName: "count"))
    var attempts: String?
    @Option(help: ArgumentHelp("How long requests of a removed plugin are kept.", valueName: "duration"))
    var removedPluginRetention: String?
    @Option(help: ArgumentHelp("How long the journal and ended launches are kept.", valueName: "duration"))
    var journalRetention: String?

    package init() {}

    enum Owner: String, EnumerableFlag {
        case system
        case user
    }

    /// The defaults, under the file, under these flags. A file that was named must be there.
    package func configuration() throws -> HostConfiguration {
        let isSystem = owner.map { $0 == .system } ?? (getuid() == 0)
        let environment = ProcessInfo.processInfo.environment
        let paths = isSystem ? HostPaths.system : .user(environment: environment)
        var configuration = HostConfiguration(paths: paths, processors: ProcessInfo.processInfo.activeProcessorCount)
        let file = config ?? paths.configurationFile
        if config != nil || FileManager.default.fileExists(atPath: file) {
            let document = YAMLDocument.decode(path: file, mayHoldNothing: true) { configuration.read($0) }
            try Self.refuse(document.errors)
            configuration.file = file
        }
        let flags = try flagText()
        if !flags.isEmpty {
            let document = YAMLDocument.decode(bytes: Array(flags.utf8), file: "command line") {
                configuration.read($0)
            }
            try Self.refuse(document.errors)
        }
        configuration.resolvePolicies()
        configuration.makePathsAbsolute()
        return configuration
    }

    private static func refuse(_ problems: [ManifestProblem]) throws {
        if problems.isEmpty { return }
        let text = problems.map(\.description).joined(separator: "\n")
        throw HostError(code: .configurationInvalid, message: text)
    }

    // MARK: The flags as the file would have them

    private func flagText() throws -> String {
        let texts: [(String, String?)] = [
            ("manifests", manifests), ("package-manifests", packageManifests), ("plugin-folder", pluginFolder),
            ("state-folder", stateFolder), ("socket", socket), ("socket-group", socketGroup),
            ("runner", runner), ("cgroup", cgroup), ("log-level", logLevel),
        ]
        let values: [(String, String?)] = [
            ("grace", grace), ("spacing", spacing), ("removed-plugin-retention", removedPluginRetention),
            ("journal-retention", journalRetention),
        ]
        let sections: [(String, [(String, String?)])] = [
            ("conditions", [("external-power", externalPower), ("network", network)]),
            ("limits", [("refresh", refreshLimit), ("processing", processingLimit)]),
            ("budgets", [("refresh", refreshBudget), ("processing", processingBudget), ("event", eventBudget)]),
            ("launches", [("background", backgroundLaunches), ("event", eventLaunches)]),
            ("retry", [("delay", retryDelay), ("attempts", attempts)]),
        ]
        var lines = try texts.compactMap { key, text in try text.map { "\(key): \(try Self.quoted($0, key))" } }
        lines += try values.compactMap { key, text in try text.map { "\(key): \(try Self.plain($0, key))" } }
        for (section, keys) in sections {
            let inner = try keys.compactMap { key, text in try text.map { "  \(key): \(try Self.plain($0, key))" } }
            if !inner.isEmpty { lines += ["\(section):"] + inner }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func quoted(_ text: String, _ key: String) throws -> String {
        if text.contains(where: \.isNewline) { throw unusable(text, key) }
        return "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
    }

    /// Numbers, durations and booleans are words of letters and digits; anything else is no value of theirs.
    private static func plain(_ text: String, _ key: String) throws -> String {
        let isWord = text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0) }
        guard isWord, !text.isEmpty else { throw unusable(text, key) }
        return text
    }

    private static func unusable(_ text: String, _ key: String) -> HostError {
        HostError(
            code: .configurationInvalid,
            message: "command line: \(key) is \"\(text)\", which is no value of that key; see bgtaskd --help"
        )
    }
}
