// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConfiguration
import Scheduling
import TaskLedger
import TaskModel

// Calls that steer the host, plugins and launches: reload, pause, resume, and the stop of a launch.
extension ControlRoutes {
    func reload() async throws -> HostReloadReply {
        do {
            return try await facts.keeper.reload(by: caller?.callingUser)
        } catch let error as HostError {
            let count = error.problems.count == 1 ? "a problem" : "\(error.problems.count) problems"
            throw RouteError(
                .configurationInvalid,
                "the configuration has \(count), and the present one stays in force",
                problems: error.problems
            )
        }
    }

    func pause(_ text: String, _ body: PluginPauseOrder) async throws -> PluginPauseReply {
        let plugin = try PluginIdentifier(validating: text)
        let end = try body.validated(at: try await read { _, now in now.wall })
        switch await ask({ .pauseRequested(plugin, until: end, reply: $0) }) {
        case .paused(let pause): return PluginPauseReply(plugin, pause)
        case let answer: throw refusal(answer, of: plugin)
        }
    }

    func resume(_ text: String) async throws -> PluginResumeReply {
        let plugin = try PluginIdentifier(validating: text)
        switch await ask({ .resumeRequested(plugin, reply: $0) }) {
        case .resumed(let wasPaused): return PluginResumeReply(plugin, wasPaused: wasPaused)
        case let answer: throw refusal(answer, of: plugin)
        }
    }

    func stopLaunch(_ text: String) async throws -> LaunchStopReply {
        let number = try LaunchNumber(validating: text)
        switch await ask({ .launchStopRequested(number, reply: $0) }) {
        case .stopping(let launch, let tasks): return LaunchStopReply(launch, tasks: tasks)
        case .notRunning(let message):
            throw try await isKnown(number) ? RouteError(.notRunning, message) : RouteError.noSuchLaunch(number)
        case let answer: throw unexpected(answer)
        }
    }

    private func isKnown(_ launch: LaunchNumber) async throws -> Bool {
        if try await read({ scheduler, _ in scheduler.isPreparing(launch) }) { return true }
        return try await recorded { try $0.launch(launch) } != nil
    }

    /// The pauses that block the work of the plugins, each once, for the answers to calls that submit or run tasks.
    /// Empty when the host has stopped since: the work is accepted nevertheless.
    func pauses(of plugins: Set<PluginIdentifier>) async -> [PluginIdentifier: [WaitingReason]] {
        let pauses = await loop.read { scheduler, now in
            var pauses: [PluginIdentifier: [WaitingReason]] = [:]
            for plugin in plugins {
                let reasons = scheduler.pauseReasons(of: plugin)
                if !reasons.isEmpty { pauses[plugin] = reasons.map { WaitingReason($0, at: now) } }
            }
            return pauses
        }
        return pauses ?? [:]
    }

    private func refusal(_ answer: Answer, of plugin: PluginIdentifier) -> RouteError {
        if case .refused(let refusal) = answer, refusal.subReason == .pluginMissing { return noSuchPlugin(plugin) }
        return unexpected(answer)
    }
}
