// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostConfiguration
import PluginTrial
import SandboxPolicy
import TaskModel

// The trial of one task.
extension PluginTryCommand {
    /// Runs the task. No process of it is left when this function returns or throws. Its files are deleted unless
    /// `keep` is set.
    func report() async throws -> TryReport {
        let context = CommandContext.current
        let (entry, catalogue) = try await PluginChoice(plugin).entry(in: places, besides: neighbours)
        let task = try TriedTask(identifier, kind: kind, of: entry)
        if fence != nil, task.kind == .event {
            throw ValidationError(
                "--fence has no effect on the event \(identifier), which is no item of a fleet; leave it out"
            )
        }
        let payload = try payload.map(PayloadFile.bytes) ?? []
        let place = try TrialPlace.make(context)
        defer {
            if keep {
                context.writeMessage(
                    "the container is \(place.containerPath(1)); delete it with its library: rm -r \(place.path)"
                )
            } else if let problem = place.delete() {
                context.writeMessage(problem)
            }
        }
        let subject = try trial.subject(entry, among: catalogue, in: place)
        for guarantee in subject.sandboxes.unenforced(by: "bgtask plugin try") {
            context.writeMessage("not enforced: \(guarantee.guarantee): \(guarantee.reason)")
        }
        for warning in subject.sandboxes.warnings(about: entry.grants, settings: subject.settings) {
            context.writeMessage(warning)
        }
        let access = TrialAccess(of: subject)
        for line in [access.summary] + access.warnings { context.writeMessage(line) }
        let log = try await log(of: script(task, payload), subject, in: place)
        let report = TryReport(log, of: task, library: entry.library.path, subject)
        let isOwnFailure = report.expired == nil && TaskOutcome(rawValue: report.outcome)?.mayHaveMissedGrant == true
        if isOwnFailure, let hint = access.hint(after: log.texts) { context.writeMessage(hint) }
        return report
    }

    private func script(_ task: TriedTask, _ payload: [UInt8]) -> TrialScript {
        var script = TrialScript([
            TrialScript.Task(
                task.identifier,
                task.kind,
                event: task.event,
                payload: payload,
                claim: fence.map { Claim(item: 1, fence: $0, isBound: false) }
            )
        ])
        script.budget = budget
        script.gracePeriod = gracePeriod
        script.stallLimit = budget
        script.limit = limit
        script.expiration = simulate.map { TrialScript.Expiration(after: after ?? .milliseconds(100), $0) }
        return script
    }

    private func log(of script: TrialScript, _ subject: TrialSubject, in place: TrialPlace) async throws -> TrialLog {
        let context = CommandContext.current
        let grants = subject.grants
        do {
            let host = try TrialHost(
                runner: RunnerProgram.path(),
                environment: context.environment,
                bundles: place.bundles
            )
            let container = try place.container(1)
            do {
                let log = try await host.run(script, of: subject, container: container) { entry in
                    if let line = entry.line(grants: grants) { context.writeLine(line) }
                }
                await host.close()
                return log
            } catch {
                await host.close()
                throw error
            }
        } catch let failure as TrialFailure {
            throw CommandFailure(.refused, failure.message, remedy: failure.remedy)
        }
    }
}

extension TrialPlace {
    /// Creates the directory for the trials of a command. Throws a failure of the command.
    static func make(_ context: CommandContext) throws -> TrialPlace {
        do {
            return try TrialPlace(isSuperuser: context.isRoot, temporary: context.environment["TMPDIR"] ?? "/tmp")
        } catch {
            throw CommandFailure(.refused, error.message, remedy: error.remedy)
        }
    }
}
