// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension Scheduler {
    /// Journals that a leftover process was killed, unless the bound of such entries is reached: the next entry then
    /// counts the process. The entry names no plugin and no launch, because the process cannot be attributed to one.
    mutating func noteKilledLeftover(
        _ pid: Int32,
        running program: String,
        of origin: LeftoverOrigin,
        at now: Moment
    ) {
        guard let omitted = killedLeftovers.count(at: now.monotonic) else { return }
        let others =
            switch omitted {
            case 0: ""
            case 1: "; 1 other was killed since the last entry"
            default: "; \(omitted) others were killed since the last entry"
            }
        let (fact, remedy) =
            switch origin {
            case .unmarked:
                (
                    "lacks its process mark and outlived its parent; it was killed",
                    "a sandbox prevents the removal of the mark: do not run plugins with isolation: off"
                )
            case .earlierHost:
                (
                    "outlived the previous host, which did not end its launches; it was killed",
                    "stop the host with SIGTERM: it then ends its launches itself"
                )
            }
        note(
            JournalEntry(
                at: now.wall,
                event: .leftoverKilled,
                plugin: nil,
                blame: origin == .unmarked ? .plugin : .nobody,
                message: "process \(pid) (\(program)) of a plugin \(fact)\(others); \(remedy)",
                count: omitted > 0 ? omitted : nil
            )
        )
    }

    /// Journals that a launch runs without its limits of memory and processes, unless the bound of such entries is
    /// reached: the next entry then counts the launch.
    mutating func noteMissingLimits(of number: LaunchNumber, because cause: String, at now: Moment) {
        guard let launch = launches.find(number), let omitted = missingLimits.count(at: now.monotonic) else { return }
        note(
            JournalEntry(
                at: now.wall,
                event: .limitsMissing,
                plugin: launch.plugin,
                launch: number,
                blame: .host,
                message: "the launch has no control group, so its limit of memory is not enforced, and its limit of"
                    + " processes only if plugins have users of their own: \(cause); let the host"
                    + " create control groups below its own (Delegate=yes); with memory or processes in the list of"
                    + " isolation such a launch is not started",
                count: omitted > 0 ? omitted : nil
            )
        )
    }
}
