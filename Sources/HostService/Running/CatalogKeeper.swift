// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import PluginCatalog
import ServiceLifecycle
import Synchronization
import TaskModel

/// Keeps the catalogue as the folders have it, and tells of every change. Which plugin may run is not its business.
final class CatalogKeeper: Service, Sendable {
    private struct State {
        var contents = CatalogContents.empty
        var known: [PluginIdentifier: KnownPlugin]
    }

    /// Gets what is catalogued, what is wrong with each manifest that is refused, and which of these are refused for want of
    /// their main plugin alone.
    typealias OnChange =
        @Sendable (
            [PluginEntry], _ refused: [PluginIdentifier: String], _ orphans: Set<PluginIdentifier>
        ) -> Void

    private let folders: CatalogFolders
    private let settings: [PluginIdentifier: [String: String]]
    private let operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]
    private let cache = CatalogCache()
    private let doubts: AsyncStream<Void>
    private let threads: DiskThreads
    private let log: Logger
    private let onChange: OnChange
    private let state: Mutex<State>

    /// - Parameters:
    ///   - known: what earlier hosts had catalogued, which stays where two manifests claim the same.
    ///   - doubts: come when somebody met a file that is not what the catalogue says.
    init(
        configuration: HostConfiguration,
        known: [KnownPlugin],
        doubts: AsyncStream<Void>,
        threads: DiskThreads,
        log: Logger,
        onChange: @escaping OnChange
    ) {
        folders = CatalogFolders(
            operatorManifests: configuration.operatorManifests,
            packageManifests: [configuration.packageManifests],
            plugins: configuration.pluginFolder
        )
        settings = configuration.settings
        self.doubts = doubts
        self.threads = threads
        operatorExtensions = configuration.operatorExtensions
        self.log = log
        self.onChange = onChange
        let byName = Dictionary(known.map { ($0.identifier, $0) }, uniquingKeysWith: { _, last in last })
        state = Mutex(State(known: byName))
    }

    var contents: CatalogContents { state.withLock { $0.contents } }

    /// Reads the folders and tells what they hold. Called once before anybody is served, then by `run` alone.
    func load() async throws {
        let known = state.withLock { Array($0.known.values) }
        let contents = try await threads.run { [folders, operatorExtensions, cache] in
            Catalog.load(
                folders,
                alreadyCatalogued: known,
                operatorExtensions: operatorExtensions,
                cache: cache
            )
        }
        let before = state.withLock { state in
            defer { state.contents = contents }
            for entry in contents.entries { state.known[entry.identifier] = KnownPlugin(entry) }
            return state.contents
        }
        for refused in contents.refused where !before.refused.contains(refused) {
            for problem in refused.problems { log.warning("manifest refused", metadata: ["problem": "\(problem)"]) }
        }
        for note in contents.notes where !before.notes.contains(note) {
            log.notice("manifest note", metadata: ["note": "\(note)"])
        }
        onChange(
            contents.entries.map(withOperatorsSettings),
            Self.refusals(in: contents, known: known),
            Self.orphans(in: contents)
        )
    }

    private static func orphans(in contents: CatalogContents) -> Set<PluginIdentifier> {
        let orphans = contents.refused.filter { refused in
            refused.problems.allSatisfy { $0.severity != .error || $0.rule == .mainMissing }
        }
        return Set(orphans.compactMap(\.identifier))
    }

    /// What is wrong, by plugin. A file that does not even tell whose it is is known by its path.
    private static func refusals(in contents: CatalogContents, known: [KnownPlugin]) -> [PluginIdentifier: String] {
        var refusals: [PluginIdentifier: String] = [:]
        for refused in contents.refused {
            let errors = refused.problems.filter { $0.severity == .error }
            guard
                let plugin = refused.identifier ?? known.first(where: { $0.manifestPath == refused.file })?.identifier,
                let first = errors.first
            else { continue }
            refusals[plugin] = errors.count > 1 ? "\(first) (and \(errors.count - 1) more)" : "\(first)"
        }
        return refusals
    }

    func run() async throws {
        let watch = try await threads.run { [folders = contents.folders] in try FolderWatch(folders) }
        // What changed between the first look and the watch is not missed.
        try await load(watchedBy: watch)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [doubts] in
                for await _ in doubts.cancelOnGracefulShutdown() { watch.lookAnew() }
            }
            try await follow(watch)
            group.cancelAll()
        }
    }

    private func follow(_ watch: FolderWatch) async throws {
        var problems = report(watch.problems, besides: [])
        for await _ in watch.changes.cancelOnGracefulShutdown() {
            try await load(watchedBy: watch)
            problems = report(watch.problems, besides: problems)
        }
    }

    private func load(watchedBy watch: FolderWatch) async throws {
        try await load()
        try await threads.run { [folders = contents.folders] in watch.watch(folders) }
    }

    private func report(_ problems: [FolderWatchError], besides told: [FolderWatchError]) -> [FolderWatchError] {
        for problem in problems where !told.contains(problem) {
            log.warning("folder not watched", metadata: ["problem": "\(problem)"])
        }
        return problems
    }

    private func withOperatorsSettings(_ entry: PluginEntry) -> PluginEntry {
        guard let own = settings[entry.identifier] else { return entry }
        return entry.with(settings: entry.settings.merging(own) { _, operatorsValue in operatorsValue })
    }
}
