// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import TaskModel

/// The edge of the simulated feeders: delays, lost answers, and unreachable databases.
extension FleetWorld {
    func feed(_ input: FeederInput, to host: Int, epoch: Int) {
        guard epoch == hosts[host].feederEpoch else { return }
        let action = hosts[host].feeder.handle(input, at: hosts[host].clock.boot(at: now))
        if case .wait(let until, _) = action {
            schedule(.input(.woke), at: hosts[host].clock.time(of: until), host: host, epoch: epoch)
            return
        }
        let delay = random(100_000...30_000_000)
        let isFault = hasFaults && generator.chance(action.isRisky ? 8 : 1)
        // A fault loses the call, or its answer, or delays its effect beyond the timeout.
        let fault = isFault ? Int(random(0...2)) : 3
        let failure: FeederInput = action.isOfHost ? .hostFailed : .databaseFailed
        let isUnreachable = !action.isOfHost && hosts[host].partitionedUntil > now
        if isUnreachable || fault == 0 {
            schedule(.input(failure), in: 5_000_000_000, host: host, epoch: epoch)
            return
        }
        let effect = FleetEvent.What.effect(action, daemon: hosts[host].daemonEpoch, isLost: fault < 3)
        schedule(effect, in: fault == 2 ? random(5_000_000_000...20_000_000_000) : delay, host: host, epoch: epoch)
        if fault < 3 { schedule(.input(failure), in: 5_000_000_000, host: host, epoch: epoch) }
    }

    /// Lets an action have its effect. A statement that was sent has its effect also after the end of its feeder.
    func take(_ action: FeederAction, of host: Int, daemonEpoch: Int, feederEpoch: Int, isLost: Bool) {
        let isHostGone = !hosts[host].isDaemonUp || hosts[host].daemonEpoch != daemonEpoch
        if action.isOfHost, isHostGone {
            if !isLost { schedule(.input(.hostFailed), in: 1_000_000, host: host, epoch: feederEpoch) }
            return
        }
        if action.isOfHost { checkTrust(of: host) }
        if !action.isOfHost { statements += 1 }
        let answer = perform(action, of: host)
        process(host)
        guard !isLost else { return }
        // An answer may take longer than a lease.
        let isSlow = hasFaults && generator.chance(1)
        let delay = isSlow ? random(1_000_000_000...60_000_000_000) : random(100_000...30_000_000)
        schedule(.input(answer), in: delay, host: host, epoch: feederEpoch)
    }

    private func perform(_ action: FeederAction, of host: Int) -> FeederInput {
        switch action {
        case .readOpenClaims:
            .openClaims(hosts[host].daemon.openClaims, acknowledged: hosts[host].daemon.acknowledged)
        case .readJournal(let number, let limit):
            .journal(hosts[host].daemon.entries(after: number, limit: limit))
        case .readCapacity: .capacity(capacity(of: host))
        case .setLease(let end, let acknowledged): setLease(end, acknowledged, of: host)
        case .submit(let items): .submitted(items.map { submit($0, to: host) })
        case .cancel(let claims): cancel(claims, of: host)
        case .sync: .synced(queue.sync(host, terms: LeaseTerms(hosts: hosts.count), at: now))
        case .join(let slots): join(slots, host)
        case .claim(let request): .claimed(queue.claim(request, host: host, at: now))
        case .report(let reports): .reported(queue.report(reports, host: host, at: now))
        case .wait: .woke
        }
    }

    private func capacity(of host: Int) -> HostCapacity {
        HostCapacity(
            plugins: plugins.map {
                HostCapacity.Entry(
                    plugin: FleetPlugin(identifier: $0.identifier, version: $0.version, digest: $0.library.digest),
                    free: hosts[host].daemon.free($0.identifier)
                )
            }
        )
    }

    private func setLease(_ end: BootTime, _ acknowledged: Int64, of host: Int) -> FeederInput {
        hosts[host].daemon.setLease(end: end, acknowledged: acknowledged, at: moment(host))
        watchTrust(of: host)
        return .leaseSet
    }

    private func submit(_ item: FleetItem, to host: Int) -> SubmissionAnswer {
        hosts[host].daemon.submit(item, at: moment(host), boot: hosts[host].clock.boot(at: now))
    }

    private func cancel(_ claims: [Claim], of host: Int) -> FeederInput {
        hosts[host].daemon.cancel(claims, at: moment(host))
        return .cancelled
    }

    private func join(_ slots: [CampaignSlot], _ host: Int) -> FeederInput {
        queue.join(slots, host: host, at: now)
        return .joined
    }
}

extension FeederAction {
    /// Whether a loss of the answer leaves queue and host with different claims.
    fileprivate var isRisky: Bool {
        switch self {
        case .claim, .submit, .report: true
        default: false
        }
    }

    /// Whether the action is a call of the host's control API.
    fileprivate var isOfHost: Bool {
        switch self {
        case .readOpenClaims, .readJournal, .readCapacity, .setLease, .submit, .cancel: true
        case .sync, .join, .claim, .report, .wait: false
        }
    }
}
