// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import Scheduling
import TaskModel

/// The events of hosts and the effects of their schedulers.
extension FleetWorld {
    func occur(_ event: FleetEvent) {
        guard let host = event.host else {
            if case .submission = event.what { submitSome() } else { causeFault() }
            return
        }
        switch event.what {
        case .submission, .fault: break
        case .feederStart: feed(.started, to: host, epoch: event.epoch)
        case .input(let input): feed(input, to: host, epoch: event.epoch)
        case .effect(let action, let daemon, let isLost):
            take(action, of: host, daemonEpoch: daemon, feederEpoch: event.epoch, isLost: isLost)
        case .daemonStart: startDaemon(host)
        case .timer:
            guard event.epoch == hosts[host].timerEpoch, hosts[host].isDaemonUp else { return }
            send(.timerFired, to: host)
            // The scheduler repeats no unchanged time: the timer stays set until its time, also after a clock step.
            if event.epoch == hosts[host].timerEpoch { setTimer(of: host) }
        case .trustEnd:
            if event.epoch == hosts[host].trustEpoch { endTrust(of: host) }
        case .complete(let launch, let task):
            if event.epoch == hosts[host].daemonEpoch { send(.completed(launch, task, .success), to: host) }
        case .exit(let launch, let termination):
            if event.epoch == hosts[host].daemonEpoch { send(.runnerEnded(launch, termination, nil), to: host) }
        case .killTime(let launch, let time): kill(launch, at: time, host, epoch: event.epoch)
        // A machine that was suspended may observe the loss after the end of all faults.
        case .conditions(let hasNetwork): setNetwork(hasNetwork || isHealing, of: host)
        }
    }

    private func setNetwork(_ hasNetwork: Bool, of host: Int) {
        hosts[host].hasNetwork = hasNetwork
        guard hosts[host].isDaemonUp else { return }
        checkTrust(of: host)
        var conditions = hosts[host].daemon.conditions
        conditions.hasNetwork = hasNetwork
        hosts[host].daemon.change(to: conditions, at: moment(host))
        process(host)
    }

    func moment(_ host: Int) -> Moment { hosts[host].clock.moment(at: now) }

    func send(_ event: SchedulerEvent, to host: Int) {
        guard hosts[host].isDaemonUp else { return }
        checkTrust(of: host)
        hosts[host].daemon.send(event, at: moment(host))
        process(host)
    }

    func checkTrust(of host: Int) {
        hosts[host].daemon.checkTrust(at: moment(host))
    }

    private func endTrust(of host: Int) {
        guard hosts[host].isDaemonUp, let end = hosts[host].daemon.trustEnd else { return }
        // A machine that was suspended observes the end of its trust only when it resumes.
        if hosts[host].clock.time(of: end) + 1_000_000 >= now {
            queue.law.trusted(by: host, leaseEnd: queue.hosts[host].leaseEnd, at: now)
        }
        checkTrust(of: host)
        process(host)
    }

    func watchTrust(of host: Int) {
        hosts[host].trustEpoch += 1
        guard let end = hosts[host].daemon.trustEnd else { return }
        schedule(.trustEnd, at: hosts[host].clock.time(of: end), host: host, epoch: hosts[host].trustEpoch)
    }

    private func kill(_ launch: LaunchNumber, at time: MonotonicTime, _ host: Int, epoch: Int) {
        guard epoch == hosts[host].daemonEpoch, hosts[host].killTimes[launch] == time else { return }
        hosts[host].killTimes[launch] = nil
        send(.killTimePassed(launch), to: host)
        send(.runnerEnded(launch, .signaled(9), nil), to: host)
    }

    // MARK: Effects

    /// Performs the effects of the host's scheduler, in their order. The effects of an event that an effect sends
    /// follow after the others.
    func process(_ host: Int) {
        if isProcessing { return }
        isProcessing = true
        defer { isProcessing = false }
        var effects = hosts[host].daemon.takeEffects()
        while !effects.isEmpty {
            for effect in effects { perform(effect, of: host) }
            effects = hosts[host].daemon.takeEffects()
        }
        if hosts[host].daemon.hasEntryWithoutClaim { queue.law.violate("host \(host) wrote an entry without a claim") }
        queue.law.holds(hosts[host].daemon.keyCount, claims: hosts[host].daemon.requests.count, on: host)
    }

    private func perform(_ effect: ModelDaemon.Effect, of host: Int) {
        let epoch = hosts[host].daemonEpoch
        switch effect {
        case .began(let claim):
            queue.law.began(claim, on: host, leaseEnd: queue.hosts[host].leaseEnd, at: now)
        case .ended(let claim): queue.law.ended(claim, on: host)
        case .recorded(let claim): queue.law.recorded(claim)
        case .plan(let plan):
            let names = plan.tasks.compactMap(\.work.identifier).map(PermittedIdentifier.exact)
            for task in plan.tasks { finish(task.id, of: plan.number, host) }
            send(.entered(plan.number, status: 0, registered: names, offersReceive: true), to: host)
        case .delivery(let launch, let task): finish(task.id, of: launch, host)
        case .expire(let launch, let tasks):
            // Three of four tasks end within the grace period; the others are killed.
            for task in tasks where generator.chance(75) {
                schedule(.complete(launch, task), in: random(0...3_000_000_000), host: host, epoch: epoch)
            }
        case .exit(let launch):
            schedule(.exit(launch, .exited(code: 0)), in: random(1_000_000...10_000_000), host: host, epoch: epoch)
        case .killed(let launch):
            schedule(.exit(launch, .signaled(9)), in: 2_000_000, host: host, epoch: epoch)
        case .killTime(let launch, let time):
            hosts[host].killTimes[launch] = time
            guard let time else { return }
            let at = hosts[host].clock.time(of: time)
            schedule(.killTime(launch, time), at: at, host: host, epoch: epoch)
        case .wake(let monotonic, let wall):
            hosts[host].wake = (monotonic, wall)
            setTimer(of: host)
        }
    }

    private func finish(_ task: TaskID, of launch: LaunchNumber, _ host: Int) {
        // One run in ten takes longer than a lease, its grace and the budget of a refresh.
        let duration = generator.chance(10) ? random(20_000_000_000...200_000_000_000) : random(0...8_000_000_000)
        schedule(.complete(launch, task), in: duration, host: host, epoch: hosts[host].daemonEpoch)
    }

    func setTimer(of host: Int) {
        hosts[host].timerEpoch += 1
        let (monotonic, wall) = hosts[host].wake
        let clock = hosts[host].clock
        let times = [monotonic.map { clock.time(of: $0) }, wall.map { clock.time(of: $0) }]
        guard let time = times.compactMap(\.self).min() else { return }
        schedule(.timer, at: max(time, now + 1_000_000), host: host, epoch: hosts[host].timerEpoch)
    }

    // MARK: Processes

    private func startDaemon(_ host: Int) {
        guard !hosts[host].isDaemonUp else { return }
        hosts[host].isDaemonUp = true
        hosts[host].killTimes = [:]
        hosts[host].wake = (nil, nil)
        hosts[host].daemon.restart(plugins, at: moment(host))
        setNetwork(hosts[host].hasNetwork, of: host)
        process(host)
    }

    func killDaemon(of host: Int) {
        for claim in hosts[host].daemon.runningClaims { queue.law.ended(claim, on: host) }
        hosts[host].isDaemonUp = false
        hosts[host].daemonEpoch += 1
        hosts[host].timerEpoch += 1
        hosts[host].trustEpoch += 1
        schedule(.daemonStart, in: random(100_000_000...200_000_000_000), host: host)
    }

    func killFeeder(of host: Int) {
        hosts[host].feederEpoch += 1
        hosts[host].feeder = FeederCore(
            settings: hosts[host].feeder.settings,
            generator: SeededGenerator(seed: generator.next())
        )
        schedule(
            .feederStart,
            in: random(100_000_000...60_000_000_000),
            host: host,
            epoch: hosts[host].feederEpoch
        )
    }
}
