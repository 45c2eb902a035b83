// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import PluginCatalogue
import PluginChecker
import TaskModel

// The run of the checks, and the file of results.
extension PluginCheckCommand {
    /// The results of the checks up to the requested level. Plugins that a host would refuse are not run.
    func report() async throws -> CheckReport {
        let files = PluginNeighbourhood(manifests: manifests, with: neighbours)
        let examination = PluginExamination(files.sources, pluginDirectory: plugins.map(FilePlace.absolute))
        let selection = try selection()
        let report = examination.report(on: files.asked, selection: selection, tool: Release.version)
        try requireRole(of: files.asked, in: examination)
        guard let level, level > 0 else { return report }
        let kinds = try kinds()
        try TrialChecks.requirePermission(of: kinds, in: examination.contents.entries, at: files.asked)
        let seed = seed ?? .random(in: 1...999_999)
        let checks = TrialChecks(
            level: level,
            selection: selection,
            seed: seed,
            jobs: jobs ?? 4,
            slack: slack ?? 10,
            kinds: kinds,
            options: trial,
            progress: progress
        )
        let (asked, contents) = (files.asked, examination.contents)
        let results = try await Interruptible.cancelling { try await checks.results(of: asked, contents) }
        return report.adding(results, level: level, seed: seed)
    }

    private var progress: TrialChecks.Progress? {
        if json { return nil }
        if CommandContext.current.screen() != nil { return .terminal }
        return onlyFailed ? nil : .lines
    }

    /// Throws when a manifest has another role than the plugins of the profile.
    private func requireRole(of files: [String], in examination: PluginExamination) throws {
        guard let profile else { return }
        for file in files {
            guard let role = examination.reading(of: file)?.manifest?.role.name, role != profile.rawValue else {
                continue
            }
            throw ValidationError(
                "--profile \(profile.rawValue): \(file) has the role \(role); leave the profile out, or check the"
                    + " plugins of this role alone with --profile \(role)"
            )
        }
    }

    func kinds() throws -> [String: TaskKind] {
        var kinds: [String: TaskKind] = [:]
        for (identifier, name) in kind {
            kinds[identifier] = try WordArgument.value(name, among: TaskKind.submittable, \.name)
        }
        return kinds
    }

    func write(_ text: String, to file: String) throws {
        do {
            try AtomicFile.replace(FilePlace.absolute(file), with: Array(text.utf8))
        } catch {
            let remedy = "name a file in a directory that this user may write to"
            throw CommandFailure(.refused, "--junit: \(error)", remedy: remedy)
        }
    }
}
