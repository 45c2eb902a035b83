// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import PluginLaunch
import ServiceLifecycle
import TaskModel

/// Samples the disk of the containers while launches run, and while the disk lacks its reserve: once per second, and more
/// often near a shortage. Reports the samples of a disk that lacks its reserve, and the first one of a disk that has it
/// again.
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
    /// Interval while launches run and little more than the reserve is free. A disk writes some gigabytes per second, so
    /// that half of a reserve of 1 GiB lasts for several samples.
    private static let shortInterval: Duration = .milliseconds(100)

    func run() async throws {
        guard reserve.most > 0 else {
            try? await gracefulShutdown()
            return
        }
        try await runUntilShutdown {
            let isInMemory = DiskSample.isInMemory(directory)
            var isShort = false
            for await _ in runners.beginnings {
                repeat {
                    let sample = try await threads.run { read(isInMemory) }
                    let wasShort = isShort
                    isShort = sample.flatMap { reserve.shortage(of: $0.disk) } != nil
                    if let sample, isShort || wasShort { send(sample) }
                    let isNear = sample.map { !$0.uses.isEmpty && reserve.isNear($0.disk) } ?? false
                    try await ContinuousClock().sleep(for: isNear ? Self.shortInterval : Self.interval)
                } while isShort || !runners.processes.isEmpty
            }
        }
    }

    /// Nil when the disk cannot be read: no launch is ended for a disk that is not known.
    private func read(_ isInMemory: Bool) -> DiskSample? {
        do {
            return try DiskSample(
                of: directory,
                isInMemory: isInMemory,
                by: runners.processes,
                groups: groups
            )
        } catch {
            log.warning("the free space of the disk is not known: \(error)")
            return nil
        }
    }
}
