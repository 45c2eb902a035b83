// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import Scheduling
import TaskModel

/// The submitters and the faults of a simulated fleet.
extension FleetWorld {
    var hasFaults: Bool { !isHealing && scenario.faultInterval != nil }

    func submitSome() {
        guard !isHealing, let interval = scenario.submissionInterval else { return }
        schedule(.submission, in: random(0...(2 * interval)))
        guard let key = keys.randomElement(using: &generator) else { return }
        let group = FleetWorld.groupNames.randomElement(using: &generator) ?? .all
        let notBefore = generator.chance(70) ? now : now + random(0...120_000_000_000)
        switch random(0...99) {
        case 0..<45:
            let host = Int.random(in: hosts.indices, using: &generator)
            queue.submit(key, host: host, group: nil, notBefore: notBefore, at: now)
        case 45..<94:
            let isAny = generator.chance(30)
            queue.submit(key, host: nil, group: isAny ? .all : group, notBefore: notBefore, at: now)
        case 94..<98: queue.cancel(from: random(0...queue.lastNumber))
        default:
            if queue.campaigns.count * hosts.count * 5 < queue.law.submitted {
                queue.start(key, group: group, spread: .seconds(60), at: now)
            }
        }
    }

    func causeFault() {
        guard !isHealing, let interval = scenario.faultInterval else { return }
        schedule(.fault, in: random(0...(2 * interval)))
        let host = Int.random(in: hosts.indices, using: &generator)
        let length = random(1_000_000_000...200_000_000_000)
        switch random(0...99) {
        case 0..<30: hosts[host].partitionedUntil = now + length
        case 30..<33:
            // The database itself is gone.
            for index in hosts.indices { hosts[index].partitionedUntil = now + length }
        case 33..<50: suspend(host, for: length)
        case 50..<65: if hosts[host].isDaemonUp { killDaemon(of: host) }
        case 65..<80: killFeeder(of: host)
        case 80..<85: reboot(host)
        case 85..<93:
            guard hosts[host].suspendedUntil <= now else { return }
            hosts[host].clock.wallOffset += random(-3_600_000_000_000...3_600_000_000_000)
            send(.timerFired, to: host)
            setTimer(of: host)
        default:
            schedule(.conditions(hasNetwork: false), in: 0, host: host)
            schedule(.conditions(hasNetwork: true), in: length, host: host)
        }
    }

    private func suspend(_ host: Int, for length: Int64) {
        guard hosts[host].suspendedUntil <= now else { return }
        hosts[host].suspendedUntil = now + length
        hosts[host].clock.suspend(for: length)
        for claim in hosts[host].daemon.runningClaims { queue.law.ended(claim, on: host) }
        // Monotonic timers fire later by the time of the suspend.
        guard hosts[host].isDaemonUp else { return }
        schedule(.timer, at: now + length, host: host, epoch: hosts[host].timerEpoch)
    }

    private func reboot(_ host: Int) {
        if hosts[host].isDaemonUp { killDaemon(of: host) }
        hosts[host].suspendedUntil = .min
        hosts[host].clock.reboot(at: now)
        killFeeder(of: host)
    }

    /// Ends all faults and submissions.
    func heal() {
        isHealing = true
        for host in hosts.indices {
            hosts[host].partitionedUntil = .min
            schedule(.conditions(hasNetwork: true), in: 0, host: host)
        }
    }
}
