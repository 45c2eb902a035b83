// Part of bgtask, under the Apache License 2.0; see LICENSE.

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
    /// Whether each result is printed when its check ends.
    let isLive: Bool

    /// The results by path of the manifest. A refused manifest has none. Throws when the checker itself fails.
    func results(of files: [String], _ contents: CatalogueContents) async throws -> [String: [TrialResult]] {
        let context = CommandContext.current
        let host: TrialHost
        do {
            host = try TrialHost(runner: RunnerProgram.path(), environment: context.environment)
        } catch {
            throw CommandFailure(.checkerFailed, error.message, remedy: error.remedy)
        }
        var results: [String: [TrialResult]] = [:]
        do {
            for file in files {
                guard let entry = contents.entries.first(where: { $0.manifestPath == file }) else { continue }
                if isLive { context.writeLine("\(entry.identifier)") }
                results[file] = try await self.results(of: entry, on: host)
            }
        } catch {
            await host.close()
            throw error
        }
        await host.close()
        return results
    }

    private func results(of entry: PluginEntry, on host: TrialHost) async throws -> [TrialResult] {
        let context = CommandContext.current
        let place = try TrialPlace.make(context)
        defer {
            if let problem = place.delete() { context.writeMessage(problem) }
        }
        let subject = try options.subject(entry, in: place)
        let plugin = ConformancePlugin(subject.plugin, seed: seed, kinds: kinds)
        let run = ConformanceRun(plugin, subject, on: host, in: place, jobs: jobs, slack: slack)
        let schedule = ConformanceSchedule(level: level) { selection.exclusion(of: $0) }
        return await run.results(of: schedule) { [isLive] result in
            if isLive { context.writeLine("  \(result.level)  \(result.outcome.rawValue)  \(result.check)") }
        }
    }
}
