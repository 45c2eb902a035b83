// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import LocatedYAML
import Logging
import PluginCatalogue
import Scheduling
import ServiceLifecycle
import Signatures
import Synchronization
import TaskModel

/// Keeps the catalogue in step with its directories, and reports every change. It does not decide whether a plugin may
/// run.
///
/// The disk threads compute everything; the decision loop receives only the result.
final class CatalogueKeeper: Service, Sendable {
    private struct State {
        var contents = CatalogueContents.empty
        /// The catalogue as last reported.
        var catalogue = Catalogue()
        /// Problems of the files of the provenance policy, as last logged.
        var provenanceProblems: [String] = []
        /// The plugins with a record in the ledger, as last read.
        var recorded: [KnownPlugin] = []
    }

    /// Returns the plugins with a record in the ledger, written by this host or by earlier ones.
    typealias RecordedPlugins = @Sendable () throws -> [KnownPlugin]

    /// Receives the difference from the previous load. The first call receives the whole catalogue.
    typealias OnChange = @Sendable (CatalogueChange) -> Void

    private let directories: CatalogueDirectories
    private let settings: [PluginIdentifier: [String: String]]
    private let operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]
    private let provenance: ProvenancePolicy
    private let cache = CatalogueCache()
    private let recorded: RecordedPlugins
    private let doubts: AsyncStream<Void>
    private let threads: DiskThreads
    private let log: Logger
    private let onChange: OnChange
    private let onFirstLoad: @Sendable (CatalogueContents) -> Void
    private let state: Mutex<State>
    private let firstLoad = Gate()

    /// Creates the keeper.
    ///
    /// - Parameters:
    ///   - recorded: called at each load, on a disk thread. If two manifests claim one identifier, the recorded one
    ///     takes precedence, until the record of an uninstalled plugin is deleted.
    ///   - doubts: yields when a file differs from its catalogue entry; the directories are then read again.
    ///   - onFirstLoad: called once, after the first call of `onChange` has returned.
    init(
        configuration: HostConfiguration,
        recorded: @escaping RecordedPlugins,
        doubts: AsyncStream<Void>,
        threads: DiskThreads,
        log: Logger,
        onChange: @escaping OnChange,
        onFirstLoad: @escaping @Sendable (CatalogueContents) -> Void
    ) {
        directories = CatalogueDirectories(
            operatorManifests: configuration.operatorManifests,
            packageManifests: [configuration.packageManifests],
            plugins: configuration.pluginDirectory
        )
        settings = configuration.settings
        provenance = configuration.provenance
        self.doubts = doubts
        self.threads = threads
        operatorExtensions = configuration.operatorExtensions
        self.log = log
        self.onChange = onChange
        self.onFirstLoad = onFirstLoad
        self.recorded = recorded
        state = Mutex(State())
    }

    /// The contents of the directories at the last load; empty until the first load has ended.
    var contents: CatalogueContents { state.withLock { $0.contents } }

    /// The catalogue as last reported.
    var reported: Catalogue { state.withLock { $0.catalogue } }

    /// Whether the first load of the directories has ended.
    var isLoaded: Bool { firstLoad.isOpen }

    /// Returns once the first load was reported to `onChange`.
    ///
    /// - Throws: `CancellationError` when the calling Swift task is cancelled first.
    func waitUntilLoaded() async throws { try await firstLoad.pass() }

    /// Waits like `waitUntilLoaded()`, but at most for `limit`.
    func waitUntilLoaded(within limit: Duration) async { await firstLoad.pass(within: limit) }

    func run() async throws {
        try await runUntilShutdown { try await self.follow() }
    }

    private func follow() async throws {
        // Watching starts before the first read, so that no change in between is missed.
        let watch = try await threads.run { [directories] in try DirectoryWatch(directories.all) }
        try await load()
        firstLoad.open()
        onFirstLoad(contents)
        try await follow(with: watch)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [doubts] in
                for await _ in doubts { watch.rescan() }
            }
            try await load(after: watch)
            group.cancelAll()
        }
    }

    /// Watches the directories of the catalogue, and those of the files of the provenance policy.
    private func follow(with watch: DirectoryWatch) async throws {
        let ofPolicy = ProvenanceRule(provenance, signers: .empty, revoked: .none, at: 0).directories
        try await threads.run { [directories = contents.directories.union(ofPolicy)] in watch.watch(directories) }
    }

    private func load(after watch: DirectoryWatch) async throws {
        var problems = report(watch.problems, besides: [])
        try await ChangeFollower(watch.changes, clock: ContinuousClock()).run {
            try await load()
            try await follow(with: watch)
            problems = report(watch.problems, besides: problems)
        }
    }

    private func report(_ problems: [DirectoryWatchError], besides previous: [DirectoryWatchError])
        -> [DirectoryWatchError]
    {
        for problem in problems where !previous.contains(problem) {
            log.warning("changes of plugins may not be noticed: \(problem)")
        }
        return problems
    }
}

// MARK: - Loading

extension CatalogueKeeper {
    /// Number of manifests that a thread examines in one piece of work. It is small, so that a caller's read never
    /// waits long for a thread.
    private static let share = 32
    /// Maximum number of threads that examine manifests at once. One of the threads is left for callers.
    private static let width = max(1, min(ProcessInfo.processInfo.activeProcessorCount, DiskThreads.count - 1))

    /// The result of a load that differs from the previous one.
    private struct Change: Sendable {
        let catalogue: CatalogueChange
        let problems: [DocumentProblem]
        let notes: [DocumentProblem]
    }

    /// Reads the changed files of the directories, and reports the catalogue if it has changed.
    private func load() async throws {
        let (listing, rule) = try await threads.run { [directories, provenance] in
            (CatalogueReader.manifests(in: directories), ProvenanceRule(reading: provenance))
        }
        reportProblems(of: rule)
        let examined = try await examine(listing.sources, rule)
        guard let change = try await threads.run({ self.change(to: listing, examined) }) else { return }
        for problem in change.problems {
            if problem.severity == .error {
                log.warning("manifest refused: \(problem)")
            } else {
                log.notice("manifest note: \(problem)")
            }
        }
        for note in change.notes { log.notice("manifest note: \(note)") }
        onChange(change.catalogue)
    }

    private func reportProblems(of rule: ProvenanceRule) {
        let before = state.withLock { state in
            defer { state.provenanceProblems = rule.problems }
            return state.provenanceProblems
        }
        for problem in rule.problems where !before.contains(problem) { log.warning("provenance: \(problem)") }
    }

    private func examine(_ sources: [ManifestSource], _ rule: ProvenanceRule) async throws -> [ExaminedManifest] {
        var shares = stride(from: 0, to: sources.count, by: Self.share).map { start in
            sources[start..<min(start + Self.share, sources.count)]
        }[...]
        return try await withThrowingTaskGroup(of: [ExaminedManifest].self) { group in
            func examineNext() {
                guard let share = shares.popFirst() else { return }
                group.addTask { [self] in
                    try await threads.run { [directories, cache] in
                        CatalogueReader.examine(share, in: directories, rule: rule, cache: cache)
                    }
                }
            }
            for _ in 0..<Self.width { examineNext() }
            var examined: [ExaminedManifest] = []
            examined.reserveCapacity(sources.count)
            while let found = try await group.next() {
                examined += found
                examineNext()
            }
            return examined
        }
    }

    /// The difference from the previous load; nil when there is none, except for the first load. Called only by `load`,
    /// one call at a time.
    private func change(to listing: ManifestListing, _ examined: [ExaminedManifest]) -> Change? {
        let (before, handedOut) = state.withLock { ($0.contents, $0.catalogue) }
        let known = known(besides: before.entries)
        let contents = CatalogueReader.contents(
            of: listing,
            examined,
            in: directories,
            cache: cache,
            alreadyCatalogued: known,
            operatorExtensions: operatorExtensions
        )
        if contents == before, isLoaded { return nil }
        let catalogue = Catalogue(
            contents.entries.map(withOperatorsSettings),
            refused: Self.refusals(in: contents, known: known)
        )
        state.withLock { ($0.contents, $0.catalogue) = (contents, catalogue) }
        let (refused, notes) = (Set(before.refused), Set(before.notes))
        return Change(
            catalogue: CatalogueChange(from: handedOut, to: catalogue),
            problems: contents.refused.filter { !refused.contains($0) }.flatMap(\.problems),
            notes: contents.notes.filter { !notes.contains($0) }
        )
    }

    /// The plugins of the previous load, `entries`, and the other plugins that the ledger has recorded. The record of a
    /// plugin may be committed later than its load.
    private func known(besides entries: [PluginEntry]) -> [KnownPlugin] {
        do {
            let read = try recorded()
            state.withLock { $0.recorded = read }
        } catch {
            // Precedence is then as at the last load.
            log.warning(
                "the records of plugins cannot be read from the ledger, so those of the last reading are used: \(error)"
            )
        }
        let present = Set(entries.map(\.identifier))
        return entries.map { KnownPlugin($0) }
            + state.withLock { $0.recorded }.filter { !present.contains($0.identifier) }
    }

    private static func orphans(in contents: CatalogueContents) -> Set<PluginIdentifier> {
        let orphans = contents.refused.filter { refused in
            refused.problems.allSatisfy { $0.severity != .error || $0.rule == .mainMissing }
        }
        return Set(orphans.compactMap(\.identifier))
    }

    /// The problem of each refused plugin. A file without a readable identifier counts for the plugin that it described
    /// last.
    private static func refusals(
        in contents: CatalogueContents,
        known: [KnownPlugin]
    ) -> [PluginIdentifier: Catalogue.ManifestRefusal] {
        if contents.refused.isEmpty { return [:] }
        let orphans = orphans(in: contents)
        let byManifest = Dictionary(known.map { ($0.manifestPath, $0.identifier) }) { first, second in
            min(first, second)
        }
        var refusals: [PluginIdentifier: Catalogue.ManifestRefusal] = [:]
        for refused in contents.refused {
            let errors = refused.problems.filter { $0.severity == .error }
            guard let plugin = refused.identifier ?? byManifest[refused.file], let first = errors.first else {
                continue
            }
            let problem = errors.count > 1 ? "\(first) (further problems: \(errors.count - 1))" : "\(first)"
            refusals[plugin] = Catalogue.ManifestRefusal(
                problem: problem,
                isOrphan: orphans.contains(plugin),
                isOfProvenance: errors.allSatisfy { DocumentProblem.Rule.provenance.contains($0.rule) }
            )
        }
        return refusals
    }

    private func withOperatorsSettings(_ entry: PluginEntry) -> PluginEntry {
        guard let own = settings[entry.identifier] else { return entry }
        // A value of a secret setting under the key `settings` is left out, because replies show all settings. The
        // value comes from the source of the secret.
        let open = own.filter { !entry.secrets.contains($0.key) }
        return entry.with(settings: entry.settings.merging(open) { _, operatorsValue in operatorsValue })
    }
}
