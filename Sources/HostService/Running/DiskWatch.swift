// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import PluginLaunch
import ServiceLifecycle
import TaskModel

/// Samples the disk of the containers while launches run, and while the disk lacks its reserve: once per second, and
/// more often near a shortage.
struct DiskWatch: Service {
    let directory: String
    /// The directory of the control groups of launches; nil when launches have none.
    let groups: String?
    let reserve: DiskReserve
    let runners: RunnerDirectory
    let threads: DiskThreads
    let log: Logger
    let send: @Sendable (DiskSample) -> Void

    private static let interval: Duration = .seconds(1)
    /// Interval while launches run and less than four times the reserve is free. A disk writes some gigabytes per
    /// second, so that half of a reserve of 1 GiB lasts for several samples.
    private static let shortInterval: Duration = .milliseconds(100)

    func run() async throws {
        guard reserve.most > 0 else {
            try? await gracefulShutdown()
            return
        }
        try await runUntilShutdown {
            let gauge = DiskGauge(directory: directory, groups: groups, reserve: reserve)
            var survey = DiskSurvey()
            for await _ in runners.beginnings {
                repeat {
                    let isNear = try await take(gauge, &survey)
                    try await ContinuousClock().sleep(for: isNear ? Self.shortInterval : Self.interval)
                } while survey.isShort || !runners.processes.isEmpty
                gauge.pause()
            }
        }
    }

    /// Takes a sample, and reports it if the scheduler needs it. Without a sample no launch is ended.
    ///
    /// - Returns: whether launches run and less than four times the reserve is free.
    private func take(_ gauge: DiskGauge, _ survey: inout DiskSurvey) async throws -> Bool {
        let (processes, plugins) = (runners.processes, runners.containers)
        switch try await threads.run({ gauge.read(processes, plugins) }) {
        case .success(let sample):
            if survey.reports(sample.disk, under: reserve) { send(sample) }
            return !sample.uses.isEmpty && reserve.isNear(sample.disk)
        case .failure(let error):
            if survey.logsFailure() { log.warning("the free space of the disk is not known: \(error)") }
            return false
        }
    }
}
