// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginChecker
package import PluginTrial
import TaskModel

/// One run of the checks on one plugin. Equal trials of several checks run once.
package struct ConformanceRun: Sendable {
    private let plugin: ConformancePlugin
    private let slack: Int
    private let bench: TrialBench

    /// - Parameters:
    ///   - plugin: the plugin of `subject`, with the scripts that its manifest allows.
    ///   - subject: the same plugin as it runs in each trial: with settings, user and sandbox.
    ///   - place: the directory of the containers and of the copied library.
    ///   - jobs: maximum number of trials at the same time.
    ///   - slack: factor of the time limits when a check that failed by time alone is repeated.
    package init(
        _ plugin: ConformancePlugin,
        _ subject: TrialSubject,
        on host: TrialHost,
        in place: TrialPlace,
        jobs: Int,
        slack: Int
    ) {
        self.plugin = plugin
        self.slack = slack
        bench = TrialBench(host: host, subject: subject, place: place, jobs: jobs)
    }

    /// Runs the checks of a schedule. Ends early, without the remaining results, when the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - began: called with the name of each check that begins.
    ///   - watch: called for each result except those of checks that are left out, when the check has ended or is
    ///     skipped.
    /// - Returns: all results, in the order of the checks.
    package func results(
        of schedule: ConformanceSchedule,
        began: @Sendable (String) -> Void = { _ in },
        watch: @Sendable (TrialResult) -> Void = { _ in }
    ) async -> [TrialResult] {
        var schedule = schedule
        var results = schedule.leftOut
        // A failed trial is a result of the checks that need it.
        let plugin = plugin.learning(from: (try? await bench.logs(of: plugin.events)) ?? [])
        while !schedule.isDone, !Task.isCancelled {
            let (due, skipped) = schedule.next()
            for result in skipped { watch(result) }
            results += skipped
            await withTaskGroup(of: TrialResult.self) { group in
                for check in due { began(check.name) }
                for check in due { group.addTask { await result(of: check, plugin) } }
                for await result in group {
                    watch(result)
                    schedule.add(result)
                    results.append(result)
                }
            }
        }
        let order = Dictionary(uniqueKeysWithValues: ConformanceCheck.all.enumerated().map { ($1.name, $0) })
        return results.sorted { order[$0.check, default: 0] < order[$1.check, default: 0] }
    }

    private func result(of check: ConformanceCheck, _ plugin: ConformancePlugin) async -> TrialResult {
        switch check.trials(plugin) {
        case .inapplicable(let reason): return check.result(.skip, reason: reason, isInapplicable: true)
        case .scripts(let scripts):
            do throws(TrialFailure) {
                var flaws = check.judge(try await bench.logs(of: scripts), plugin)
                // The machine may be slow: if time alone fails, only the second verdict counts.
                if flaws.contains(where: { $0.kind == .time }),
                    flaws.allSatisfy({ $0.kind == .time || $0.kind == .remark })
                {
                    flaws = check.judge(try await bench.logs(of: scripts.map { $0.slowed(by: slack) }), plugin)
                }
                return check.result(of: flaws)
            } catch {
                let remedy = error.remedy.map { "; \($0)" } ?? ""
                return check.result(.checkerError, reason: error.message + remedy)
            }
        }
    }
}

/// Runs trials, at most `jobs` at the same time, each script once.
private actor TrialBench {
    private let host: TrialHost
    private let subject: TrialSubject
    private let place: TrialPlace
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var trials: [TrialScript: Task<Result<TrialLog, TrialFailure>, Never>] = [:]
    private var containers = 0

    init(host: TrialHost, subject: TrialSubject, place: TrialPlace, jobs: Int) {
        self.host = host
        self.subject = subject
        self.place = place
        free = max(1, jobs)
    }

    /// The logs of the scripts, in their order.
    func logs(of scripts: [TrialScript]) async throws(TrialFailure) -> [TrialLog] {
        let tasks = scripts.map(trial)
        let results = await withTaskCancellationHandler {
            var results: [Result<TrialLog, TrialFailure>] = []
            for task in tasks { results.append(await task.value) }
            return results
        } onCancel: {
            // Checks share trials, but a cancellation ends them all.
            for task in tasks { task.cancel() }
        }
        var logs: [TrialLog] = []
        for result in results { logs.append(try result.get()) }
        return logs
    }

    private func trial(_ script: TrialScript) -> Task<Result<TrialLog, TrialFailure>, Never> {
        if let task = trials[script] { return task }
        let task = Task { await run(script) }
        trials[script] = task
        return task
    }

    private func run(_ script: TrialScript) async -> Result<TrialLog, TrialFailure> {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
        if Task.isCancelled { return .failure(TrialFailure("the trial was cancelled")) }
        do throws(TrialFailure) {
            containers += 1
            let container = try place.container(containers)
            if script.hasTwin {
                async let twin = launch(script, container)
                let (log, other) = await (launch(script, container), twin)
                return try log.get().disorder(script).isEmpty ? other : log
            }
            var log = try await host.run(script, of: subject, container: container)
            for _ in 0..<script.earlierLaunches where log.disorder(script).isEmpty {
                log = try await host.run(script, of: subject, container: container)
            }
            return .success(log)
        } catch {
            return .failure(error)
        }
    }

    private nonisolated func launch(_ script: TrialScript, _ container: String) async -> Result<TrialLog, TrialFailure>
    {
        do throws(TrialFailure) {
            return .success(try await host.run(script, of: subject, container: container))
        } catch {
            return .failure(error)
        }
    }
}
