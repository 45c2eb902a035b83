// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// What the world does: time, conditions, the disk, runners, and the host's own end.
extension SchedulerDriver {
    // MARK: Time

    /// Lets time pass, and fires the timer at every instant that was asked for.
    func advance(by duration: Duration) {
        let target = clock.now.monotonic + duration
        while let wait = timeToWake, clock.now.monotonic + wait <= target {
            clock.advance(by: wait)
            fireTimer()
        }
        clock.advance(by: target - clock.now.monotonic)
    }

    /// Somebody sets the clock; the host is told, as it would be by the kernel.
    func stepWallClock(by duration: Duration) {
        clock.stepWall(by: duration)
        fireTimer()
    }

    /// Nil when nothing is due, ever.
    var timeToWake: Duration? {
        let waits = [wake.monotonic.map { $0 - clock.now.monotonic }, wake.wall.map { $0 - clock.now.wall }]
        return waits.compactMap { $0 }.min().map { max(.zero, $0) }
    }

    /// What one look brings may be due at once; a timer that is due again and again would fire for ever.
    private func fireTimer() {
        send(.timerFired)
        for _ in 1...4 where timeToWake == .zero { send(.timerFired) }
        if timeToWake == .zero {
            complain("the timer spins")
            wake = (nil, nil)
        }
    }

    // MARK: Conditions

    func change(
        power: Bool? = nil,
        network: Bool? = nil,
        idle: Bool? = nil,
        busy: Bool? = nil,
        memoryLow: Bool? = nil,
        hot: Bool? = nil,
        locked: Set<PluginIdentifier>? = nil,
        unseen: Set<PluginIdentifier> = [],
        useUnknown: Bool? = nil,
        resources: TaskResources? = nil
    ) {
        conditions.isOnExternalPower = power ?? conditions.isOnExternalPower
        conditions.hasNetwork = network ?? conditions.hasNetwork
        conditions.isIdle = idle ?? conditions.isIdle
        conditions.isLoadHigh = busy ?? conditions.isLoadHigh
        conditions.isMemoryLow = memoryLow ?? conditions.isMemoryLow
        conditions.isHot = hot ?? conditions.isHot
        conditions.isUseUnknown = useUnknown ?? conditions.isUseUnknown
        if let locked { conditions.containerLocks = .known(but: unseen, locked: locked) }
        conditions.resources = resources ?? conditions.resources
        send(.conditionsChanged(conditions))
    }

    // MARK: The ledger

    func writeNextCommit() {
        if heldCommits.isEmpty { return complain("no commit is held") }
        let commit = heldCommits.removeFirst()
        send(report(commit.ticket, commit.changes))
    }

    func failNextCommit() {
        if heldCommits.isEmpty { return complain("no commit is held") }
        send(.commitFailed(heldCommits.removeFirst().ticket, message: "disk full"))
    }

    /// Writes what is held and all that follows from it.
    func writeHeldCommits() {
        while !heldCommits.isEmpty { writeNextCommit() }
        commits = .written
    }

    // MARK: Runners

    /// The held runners are there now; those that were dismissed meanwhile are offered as well.
    func bringRunners() {
        runners = .ready
        while !heldRunners.isEmpty {
            let launch = heldRunners.removeFirst()
            let process = RunnerProcess(pid: 1, startTime: 1, boot: clock.now.boot, controlGroup: nil)
            send(.runnerReady(launch, process))
        }
    }

    // MARK: Loading

    /// The held loads are answered, and so is every later one.
    func bringLoads() {
        loads = .ready
        while !heldLoads.isEmpty { bringNextLoad() }
    }

    func bringNextLoad() {
        if heldLoads.isEmpty { return complain("no load is held") }
        send(.loaded(ledger.work(of: heldLoads.removeFirst())))
    }

    func failNextLoad() {
        if heldLoads.isEmpty { return complain("no load is held") }
        send(.notLoaded(heldLoads.removeFirst(), message: "a row is damaged"))
    }

    // MARK: The host

    func stop() { send(.stopRequested) }

    /// The host dies with all of its processes, and comes back with what the ledger holds.
    func restart(after downtime: Duration = .zero, rebooting: Bool = false, with plugins: [PluginEntry]? = nil) {
        // Of three submissions at once whose second could not be recorded, the third's line comes a commit later.
        ledger.forgive()
        heldCommits = []
        heldRunners = []
        heldLoads = []
        killTimes = [:]
        processes = [:]
        arrivals = [:]
        wake = (nil, nil)
        watch = Watch()
        if rebooting { clock.reboot(takes: downtime) } else { clock.advance(by: downtime) }
        installed = plugins ?? installed
        scheduler = Scheduler(
            configuration: configuration,
            conditions: conditions,
            snapshot: ledger.snapshot,
            at: clock.now
        )
        catalogue = Catalogue()
        witness?.didRestart()
        sendCatalogue()
    }
}
