// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The reserve of the disk of the containers.
extension Scheduler {
    /// The present shortage of the disk of the containers; nil while it keeps its reserve.
    package var diskShortage: DiskShortage? { disk.shortage }

    /// The lanes whose launches wait until the disk of the containers has its reserve.
    private static let lanesOfReserve: [Lane] = [.background, .transfer]

    /// Whether a further launch may use capacity of the lane.
    func hasCapacity(in lane: Lane) -> Bool {
        if Self.lanesOfReserve.contains(lane), disk.shortage != nil { return false }
        return !launches.use(of: lane).isUsedUp(configuration.launchLimit(in: lane))
    }

    /// Records the free space of the disk. While it is below the reserve, ends the launch that used it up, if there is
    /// evidence of that. Launches of transfers are not ended: the transfer library leaves the reserve free itself, and
    /// repeats the transfer later.
    mutating func sampled(_ sample: DiskSample, at now: Moment) {
        let wasShort = disk.shortage != nil
        let running = sample.uses.filter { use in
            launches.listening(use.key) != nil && launches.find(use.key)?.lane != .transfer
        }
        var judge = disk
        let listening = DiskSample(
            sample.disk,
            lostBytes: sample.lostBytes,
            lostInodes: sample.lostInodes,
            uses: running
        )
        let verdict = judge.judge(listening, configuration.diskReserve, at: now.monotonic) { number in
            launches.find(number) != nil
        }
        disk = judge
        guard let shortage = disk.shortage else {
            for lane in Self.lanesOfReserve where wasShort { fillCapacity(of: lane, at: now) }
            return
        }
        if !wasShort { noteShortage(shortage, at: now) }
        switch verdict {
        case .none: break
        case .kill(let number): kill(number, because: .leftDiskShort)
        case .expire(let number, let taken):
            end(number, taken, for: shortage, at: now)
            if shortage.isSevere { kill(number, because: .leftDiskShort) }
        }
    }

    private mutating func noteShortage(_ shortage: DiskShortage, at now: Moment) {
        let message =
            "\(shortage.words), and background launches wait; delete files on this disk, or lower disk-reserve"
            + " in the configuration of the host"
        note(JournalEntry(at: now.wall, event: .diskLow, plugin: nil, blame: .machine, message: message))
    }

    /// Expires a launch that used up the reserve. It is killed at the end of its grace period, or earlier when less
    /// than half of the reserve is left. During entry no task was delivered that could expire: the launch is killed at
    /// once.
    private mutating func end(_ number: LaunchNumber, _ taken: Int64, for shortage: DiskShortage, at now: Moment) {
        guard let execution = launches.listening(number) else { return }
        let plugin = execution.plan.plugin
        disk.ended(plugin.containingPlugin ?? plugin.identifier)
        let amount =
            shortage.isOfBytes
            ? "wrote \(taken) bytes, the most of all launches, while the free space of the disk shrank by as many"
            : "created at least \(taken) files, the most of all launches, while the disk lost as many free inodes"
        let message = "the launch \(amount); \(shortage.words)"
        let remedy = "write less, delete files, or increase the disk"
        guard !execution.entry.isRunning else {
            note(number, rule: nil, message: "\(message); the launch is killed; \(remedy)", at: now)
            let cause = "\(execution.entryName) used up the reserve of the disk: \(message)"
            return kill(number, because: .filledDisk(cause))
        }
        let end = shortage.isSevere ? "expired and killed, because less than half of the reserve is left" : "expired"
        note(number, rule: nil, message: "\(message); the launch is \(end); \(remedy)", at: now)
        if execution.unfinished.isEmpty {
            let killTime = execution.plan.budget.killTime(after: now.monotonic)
            return expireAssertions(of: number, because: .budget, killTime: killTime)
        }
        expire(number, execution.unfinished, because: .budget, at: now)
    }
}
