// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Events of the environment: time, conditions, the disk, runners, and the end of the host.
extension SchedulerDriver {
    // MARK: Time

    /// Advances both clocks, and fires the timer at every time that the scheduler has requested.
    func advance(by duration: Duration) {
        let target = clock.now.monotonic + duration
        while let wait = timeToWake, clock.now.monotonic + wait <= target {
            clock.advance(by: wait)
            fireTimer()
        }
        clock.advance(by: target - clock.now.monotonic)
    }

    /// Steps the wall clock and fires the timer, as the kernel does after such a step.
    func stepWallClock(by duration: Duration) {
        clock.stepWall(by: duration)
        fireTimer()
    }

    /// Time until the timer is due; nil when no time is requested.
    var timeToWake: Duration? {
        let waits = [wake.monotonic.map { $0 - clock.now.monotonic }, wake.wall.map { $0 - clock.now.wall }]
        return waits.compactMap { $0 }.min().map { max(.zero, $0) }
    }

    /// Fires the timer once, and again up to four times while it is due. A timer that is still due then is a complaint.
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

    func change(_ condition: Condition, to holds: Bool) {
        conditions[condition] = holds
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

    /// Writes the held commits and all commits that follow from them.
    func writeHeldCommits() {
        while !heldCommits.isEmpty { writeNextCommit() }
        commits = .written
    }

    // MARK: Runners

    /// Makes the held runners ready, including dismissed ones. Later runners start at once.
    func bringRunners() {
        runners = .ready
        while !heldRunners.isEmpty {
            let launch = heldRunners.removeFirst()
            let process = RunnerProcess(pid: 1, startTime: 1, boot: clock.now.boot, controlGroup: nil)
            send(.runnerReady(launch, process))
        }
    }

    // MARK: Loading

    /// Answers the held loads. Later loads are answered at once.
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

    /// Kills the host with all of its processes, and starts it again from the ledger.
    func restart(after downtime: Duration = .zero, rebooting: Bool = false, with plugins: [PluginEntry]? = nil) {
        // If the second of three simultaneous submissions fails, the journal entry of the third follows one commit
        // later.
        ledger.acceptCrash()
        heldCommits = []
        heldRunners = []
        heldLoads = []
        confined = [:]
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
