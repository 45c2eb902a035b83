// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension Scheduler {
    /// Journals that a leftover process without a process mark was killed. The entry is about the host: without its
    /// mark the process cannot be attributed to a launch.
    mutating func noteKilledLeftover(_ pid: Int32, running program: String, at now: Moment) {
        guard let omitted = killedLeftovers.count(at: now.monotonic) else { return }
        let others =
            switch omitted {
            case 0: ""
            case 1: "; 1 other was killed since the last entry"
            default: "; \(omitted) others were killed since the last entry"
            }
        note(
            JournalEntry(
                at: now.wall,
                event: .leftoverKilled,
                plugin: nil,
                blame: .plugin,
                message: "process \(pid) (\(program)) of a plugin lacks its process mark and outlived its parent;"
                    + " it was killed\(others); a sandbox prevents the removal of the mark: do not run plugins with"
                    + " isolation: off",
                count: omitted > 0 ? omitted : nil
            )
        )
    }
}
