// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostConfiguration
import PluginCatalogue
import PluginChecker
import PluginConformance
import PluginTrial
import TaskModel

/// The checks of `plugin check` that run the plugins, one plugin after the other.
struct TrialChecks {
    let level: Int
    let selection: CheckSelection
    let seed: UInt64
    let jobs: Int
    let slack: Int
    /// Kinds of identifiers, from the options.
    let kinds: [String: TaskKind]
    let options: TrialOptions
    /// The form in which progress is printed; nil when it is not printed.
    let progress: Progress?

    enum Progress {
        case terminal
        case lines
    }

    /// The results by path of the manifest. A refused manifest has none. Throws when the checker itself fails, and when
    /// the calling task is cancelled.
    func results(of files: [String], _ contents: CatalogueContents) async throws -> [String: [TrialResult]] {
        let context = CommandContext.current
        var results: [String: [TrialResult]] = [:]
        for file in files {
            guard let entry = contents.entries.first(where: { $0.manifestPath == file }) else { continue }
            if progress != nil { context.writeLine("\(entry.identifier)") }
            results[file] = try await self.results(of: entry, among: contents.entries)
            try Task.checkCancellation()
        }
        return results
    }

    private func results(of entry: PluginEntry, among catalogue: [PluginEntry]) async throws -> [TrialResult] {
        let context = CommandContext.current
        let place = try TrialPlace.make(context)
        defer {
            if let problem = place.delete() { context.writeMessage(problem) }
        }
        let subject = try options.subject(entry, among: catalogue, in: place)
        let access = TrialAccess(of: subject)
        for line in [access.summary] + access.warnings { context.writeMessage(line) }
        let plugin = ConformancePlugin(subject.plugin, seed: seed, kinds: kinds)
        let host = try host(in: place)
        let run = ConformanceRun(plugin, subject, on: host, in: place, jobs: jobs, slack: slack)
        let schedule = ConformanceSchedule(
            level: level,
            exclusion: selection.exclusion,
            omission: selection.omission
        )
        let live = progress.map { progress in
            LiveOutput(isOnTerminal: progress == .terminal) { text in
                if progress == .terminal { try? context.standardOutput(text) } else { context.standardError(text) }
            }
        }
        let results = await run.results(of: schedule) {
            live?.begin($0)
        } watch: {
            live?.end($0)
        }
        // Before the directory is deleted: a process that still runs could write to it.
        await host.close()
        let seen = results.filter(\.mayHaveMissedGrant).flatMap(\.seen)
        if let hint = access.hint(after: seen) { context.writeMessage(hint) }
        return results
    }

    /// Throws when no manifest on trial lists an identifier of `kinds`, or when its manifest does not permit it with
    /// the kind in `kinds`. Checks nothing when one of the manifests is refused: that plugin is not run, and its report
    /// names the reason.
    static func requirePermission(
        of kinds: [String: TaskKind],
        in catalogue: [PluginEntry],
        at files: [String]
    ) throws {
        let plugins = catalogue.filter { files.contains($0.manifestPath) }
        if plugins.count < files.count { return }
        for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            guard let identifier = TaskIdentifier(name),
                let plugin = plugins.first(where: { $0.permitted.contains(.exact(identifier)) })
            else {
                throw ValidationError(
                    "--kind: no manifest lists the identifier \(name.inQuotes); name one of permitted-identifiers, without"
                        + " a pattern"
                )
            }
            _ = try TriedTask(identifier.text, kind: kind, of: plugin)
        }
    }

    private func host(in place: TrialPlace) throws -> TrialHost {
        do {
            return try TrialHost(
                runner: RunnerProgram.path(),
                environment: CommandContext.current.environment,
                bundles: place.bundles
            )
        } catch {
            throw CommandFailure(.checkerFailed, error.message, remedy: error.remedy)
        }
    }
}

extension TrialResult {
    /// Whether a missing grant may explain the result: the process crashed or ended itself, or the load or the entry of
    /// the plugin failed.
    fileprivate var mayHaveMissedGrant: Bool {
        outcome == .crash || outcome == .exitedEarly
            || outcome.isFailure && ["load-now", "entry-succeeds"].contains(check)
    }
}
