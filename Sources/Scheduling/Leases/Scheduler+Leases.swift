// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Leases of feeders: their renewal, and the end of the trust in them. Each costs as much as the lease has claims.
extension Scheduler {
    /// Makes a lease or renews it. The trust in an existing lease begins anew at once; the answer waits until a changed
    /// record is on disk.
    mutating func renew(_ renewal: LeaseRenewal, reply: ReplyToken, at now: Moment) {
        let old = leases[renewal.name]
        if let old, old.owner != renewal.owner { return answer(.ofAnotherUser(old.owner), to: reply) }
        if old == nil, leases.count >= LeaseTable.most { return answer(.tooMany, to: reply) }
        let record = SubmitterLease.record(of: renewal, after: old?.record, at: now.bootTime)
        let trust = SubmitterLease.Trust.trusted(until: renewal.trust.end(at: now.bootTime))
        if let old, !old.isDraining {
            trustAnew(SubmitterLease(old.record, trust: trust, contact: now.wall), at: now)
            if record == old.record { return answerRenewed(renewal.name, to: reply) }
        }
        let lease = SubmitterLease(record, trust: trust, contact: now.wall)
        stage(.lease(lease, reply: reply), [.storeLease(record)])
    }

    /// Applies a renewal that is on disk. A later renewal of the lease may have been applied meanwhile.
    mutating func settle(_ lease: SubmitterLease, reply: ReplyToken, at now: Moment) {
        if var known = leases[lease.name], !known.isDraining {
            known.record = SubmitterLease.merged(known.record, lease.record)
            leases.set(known)
        } else {
            trustAnew(lease, at: now)
        }
        answerRenewed(lease.name, to: reply)
    }

    private mutating func trustAnew(_ lease: SubmitterLease, at now: Moment) {
        let wasUnconfirmed = leases[lease.name].map { if case .unconfirmed = $0.trust { true } else { false } } ?? false
        leases.set(lease)
        if wasUnconfirmed { confirmClaims(of: lease.name, at: now) }
        endTrust(at: now)
        awaitTrustEnd(at: now)
    }

    private mutating func answerRenewed(_ name: String, to reply: ReplyToken) {
        answer(leases[name].map { .renewed($0) } ?? .unknown, to: reply)
    }

    private mutating func answer(_ answer: LeaseAnswer, to reply: ReplyToken) { emit(.answer(reply, .lease(answer))) }

    /// Deletes a lease. Its pending unbound requests end; its running tasks go on while the trust lasts.
    ///
    /// - Parameter owner: the calling user; nil for an operator, who may delete every lease.
    mutating func deleteLease(_ name: String, owner: UInt32?, reply: ReplyToken) {
        guard let lease = leases[name], !lease.isDraining else { return answer(.unknown, to: reply) }
        if let owner, owner != lease.owner { return answer(.ofAnotherUser(lease.owner), to: reply) }
        stage(.leaseDeletion(name, reply: reply), [.removeLease(name)])
    }

    mutating func leaseDeleted(_ name: String, reply: ReplyToken, at now: Moment) {
        answer(.deleted, to: reply)
        guard var lease = leases[name] else { return }
        lease.isDraining = true
        leases.set(lease)
        if !lease.isTrusted { leases.endTrust(in: name) }
        loseClaims(of: name, isRunningIncluded: !lease.isTrusted, at: now)
        if openHoldings(of: name).isEmpty { leases.remove(name) }
    }

    // MARK: The end of trust

    /// Ends the trust in leases whose time has passed. Called before each event: after a suspend, the first event may
    /// be any.
    mutating func endTrust(at now: Moment) {
        guard !leases.isEmpty, let end = leases.nextEnd, end <= now.bootTime else { return }
        for name in leases.endTrust(at: now.bootTime) { loseClaims(of: name, isRunningIncluded: true, at: now) }
        awaitTrustEnd(at: now)
    }

    /// Sets the alarm of the next end of trust. The alarm counts without the time of a suspend, and may be late; the
    /// first event after the suspend then ends the trust.
    mutating func awaitTrustEnd(at now: Moment) {
        guard let end = leases.nextEnd else { return }
        agenda.add(.leases, at: now.monotonic + (end - now.bootTime))
    }

    /// Ends the unbound claims of a lease: pending requests end, running tasks expire.
    ///
    /// - Parameter isRunningIncluded: whether running tasks expire as well.
    private mutating func loseClaims(of lease: String, isRunningIncluded: Bool, at now: Moment) {
        let open = openHoldings(of: lease)
        leases.set(open, of: lease)
        var concerned: Set<PluginIdentifier> = []
        for (number, holding) in open where !holding.claim.isBound {
            let isPending = plugins[holding.plugin].requests.lose(holding.identifier, number: number)
            if !isPending, !isRunningIncluded { continue }
            leases.lose(number, of: lease)
            concerned.insert(holding.plugin)
        }
        for plugin in concerned.sorted() {
            for number in launches.numbers(of: plugin) { expireLostClaims(in: number, at: now) }
            lapseOverdue(plugin, at: now)
        }
    }

    /// Expires the tasks of a launch whose claim is lost. During entry it does nothing: the losses are checked when
    /// the entry function has returned.
    mutating func expireLostClaims(in number: LaunchNumber, at now: Moment) {
        guard leases.hasHoldings, let execution = launches.listening(number), execution.entry == .returned else {
            return
        }
        let lost = execution.tasks.indices.filter { index in
            let work = execution.tasks[index].work
            return leases.state(of: work.number, work.claim) == .lost
        }
        expire(number, lost, because: .leaseLost, at: now)
    }

    // MARK: Claims

    /// Adds the claim of a request that is pending, or about to be.
    mutating func hold(_ request: PendingRequest) {
        guard let lease = leases.add(request) else { return }
        leases.set(openHoldings(of: lease), of: lease)
    }

    /// Applies the state of its claim to a request that has become pending.
    mutating func applyClaim(of request: PendingRequest, at now: Moment) {
        guard let claim = request.request.claim else { return }
        hold(request)
        let (plugin, identifier) = (request.plugin, request.request.identifier)
        switch leases.state(of: request.number, claim) {
        case .open where leases[claim.lease]?.isDraining == true, .lost:
            leases.lose(request.number, of: claim.lease)
            _ = plugins[plugin].requests.lose(identifier, number: request.number)
            agenda.add(.deadlines(plugin), at: now.wall)
        case .unconfirmed: plugins[plugin].requests.setPaused(identifier, true)
        case .open, nil: break
        }
    }

    /// Ends the wait of the claims of a lease for its first renewal since the start of the host.
    private mutating func confirmClaims(of lease: String, at now: Moment) {
        let open = openHoldings(of: lease)
        leases.set(open, of: lease)
        // In the order of submission, so that a replay decides the same.
        for (_, holding) in open.sorted(by: { $0.key < $1.key }) where !holding.claim.isBound {
            plugins[holding.plugin].requests.setPaused(holding.identifier, false)
        }
        for plugin in Set(open.values.map(\.plugin)).sorted() {
            for lane in Lane.allCases { backlog.add(.consider(plugin, lane)) }
        }
    }

    /// The claims of a lease whose requests are pending or running, or about to be.
    func openHoldings(of lease: String) -> [SubmissionNumber: LeaseTable.Holding] {
        leases.holdings(of: lease).filter { isOpen($0.key, $0.value) }
    }

    private func isOpen(_ number: SubmissionNumber, _ holding: LeaseTable.Holding) -> Bool {
        guard plugins.contains(holding.plugin) else { return false }
        let identifier = holding.identifier
        if plugins[holding.plugin].requests.number(of: identifier) == number { return true }
        if plugins[holding.plugin].requests.expectedNumber(identifier) == number { return true }
        return launches.numbers(of: holding.plugin).lazy.compactMap(launches.find).contains { launch in
            // The end of a task is in the journal only after its commit.
            launch.execution?.tasks.contains { $0.outcome == nil && $0.work.number == number } ?? false
                || launch.record.unrecorded.contains { $0.work.number == number }
        }
    }

    /// The end of the wait of a request for the renewal of its lease; nil when it does not wait.
    func renewalEnd(of request: PendingRequest, at now: Moment) -> MonotonicTime? {
        guard case .unconfirmed(let end)? = leases.state(of: request.number, request.request.claim) else { return nil }
        return now.monotonic + max(.zero, end - now.bootTime)
    }
}

extension SubmitterLease {
    /// The record with the higher acknowledged number and the greater length of both.
    static func merged(_ one: LeaseRecord, _ other: LeaseRecord) -> LeaseRecord {
        var record = one
        record.acknowledged = max(one.acknowledged, other.acknowledged)
        record.length = max(one.length, other.length)
        return record
    }
}
