// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// A host under everything that can happen to it, in an order that a seed decides. Knows what must hold all the same.
final class RandomWalk {
    struct Failure: Error, CustomStringConvertible {
        let seed: UInt64
        let step: Int
        let last: String
        let message: String
        var description: String { "seed \(seed), step \(step), after \(last): \(message)" }
    }

    let seed: UInt64
    var random: SeededGenerator
    let host: SchedulerDriver
    var step = 0
    var last = "nothing"
    private var complaint: String?

    /// Accepted and told so, with what was asked.
    private var acknowledged: Set<SubmissionNumber> = []
    /// Cancelled and told so, or ended: these must never run again.
    private var dead: Set<SubmissionNumber> = []
    private var delivered: Set<SubmissionNumber> = []
    private var journalRead = 0
    /// What a cancellation that is not answered yet will have killed, by reply.
    private var dying: [ReplyToken: Set<SubmissionNumber>] = [:]
    private var answersRead: Set<ReplyToken> = []
    var isSuddenDeathOn = true

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        host = SchedulerDriver {
            $0.backgroundLaunches = 2
            $0.eventLaunches = 1
            $0.batchSize = 4
            $0.eventLimit = 5
            // Long, so that a host that can have nothing does not try for hours every second.
            $0.hostRetryDelay = .seconds(20)
            $0.removedPluginRetention = .hours(5)
            $0.policies.dayBudget = .hours(1_000)
            var limits = PendingLimits()
            limits.processing = 4
            $0.plugins[.app, default: PluginPolicy()].limits = limits
        }
        host.processesObey = false
        host.isStrict = false
        host.onComplaint = { [unowned self] in complaint = complaint ?? $0 }
    }

    // MARK: Walking

    func walk(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            host.forgetThePast()
            if isSuddenDeathOn, random.chance(3) { host.actionsToLive = Int.random(in: 0...4, using: &random) }
            takeStep()
            host.actionsToLive = nil
            try check()
        }
    }

    func fail(_ message: String) -> Failure { Failure(seed: seed, step: step, last: last, message: message) }

    // MARK: What must hold after every step

    func check() throws {
        if let complaint { throw fail(complaint) }
        try followPlans()
        readJournal()
        try readAnswers()
        try checkReasons()
        try checkAcknowledged()
        try checkMemory()
    }

    /// What ran before runs again only if it says so, and what is over never does.
    private func followPlans() throws {
        for work in host.plans.flatMap(\.tasks).map(\.work) {
            if dead.contains(work.number) { throw fail("\(work.label) (\(work.number)) runs, though it was over") }
            if delivered.contains(work.number) && !work.retry.wasInterrupted {
                throw fail("\(work.label) (\(work.number)) runs again without saying so")
            }
            delivered.insert(work.number)
        }
    }

    /// A line that says that a submission ended for good makes it dead.
    private func readJournal() {
        for entry in host.ledger.journal[journalRead...] {
            guard let number = entry.submission else { continue }
            switch entry.event {
            case .cancelled, .replaced: dead.insert(number)
            case .task(let outcome) where outcome.isFinal: dead.insert(number)
            default: break
            }
        }
        journalRead = host.ledger.journal.count
    }

    private func readAnswers() throws {
        for (reply, answer) in host.answers where answersRead.insert(reply).inserted {
            if let number = answer.submission { acknowledged.insert(number) }
            if case .cancelled = answer { dead.formUnion(dying.removeValue(forKey: reply) ?? []) }
        }
        for number in host.scheduler.pendingRequests.map(\.number) where dead.contains(number) {
            throw fail("submission \(number) is pending, though it was over")
        }
    }

    private func checkReasons() throws {
        let now = host.clock.now
        let waiting =
            host.scheduler.pendingRequests.map(PendingWork.request)
            + host.scheduler.pendingEvents.map(PendingWork.event)
        for work in waiting where host.scheduler.reasons(against: work, at: now).isEmpty {
            throw fail("\(work.label) (\(work.number)) waits without a reason")
        }
    }

    /// On disk it is pending or running, or the journal has told of its end.
    private func checkAcknowledged() throws {
        let ledger = host.ledger
        var present = Set(ledger.requests.map(\.number) + ledger.events.map(\.number))
        for launch in ledger.runningLaunches { present.formUnion(ledger.unfinished(of: launch).map(\.number)) }
        let lost = acknowledged.subtracting(present)
        for number in lost where !dead.contains(number) && !ledger.hasJournaled(number) {
            if ledger.unexplained.contains(number) { continue }
            throw fail("submission \(number) was acknowledged and is nowhere")
        }
        acknowledged.subtract(lost)
    }

    /// With no commit under way or to be tried again, memory and ledger say the same.
    func checkMemory() throws {
        let scheduler = host.scheduler
        guard host.heldCommits.isEmpty, scheduler.launches.values.allSatisfy(\.record.isComplete) else { return }
        if scheduler.pendingRequests != host.ledger.requests { throw fail("memory and ledger differ in requests") }
        if scheduler.pendingEvents != host.ledger.events { throw fail("memory and ledger differ in events") }
        let known = scheduler.plugins.compactMapValues(\.known)
        if known != host.ledger.known { throw fail("memory and ledger differ in plugins") }
        let running = scheduler.launches.values.filter { $0.phase != .preparing }
        if Set(running.map(\.number)) != host.ledger.runningLaunches {
            throw fail("memory and ledger differ in launches")
        }
        for launch in running {
            let unfinished = launch.unfinished.map { launch.tasks[$0].work }
            if unfinished != host.ledger.unfinished(of: launch.number) { throw fail("launch \(launch.number) differs") }
        }
    }

    // MARK: What steps tell

    func willCancel(_ matches: (TaskIdentifier) -> Bool, of plugin: PluginIdentifier, reply: ReplyToken) {
        // What runs at the moment may end, or be interrupted and stay away; it must not come back.
        let running = host.ledger.runningLaunches.flatMap { host.ledger.unfinished(of: $0) }
        let works = host.ledger.requests.map(PendingWork.request) + running
        let meant = works.filter { $0.plugin == plugin && ($0.identifier.map(matches) ?? false) }
        dying[reply] = Set(meant.map(\.number))
    }
}

extension TaskOutcome {
    /// The task does not come back after it.
    fileprivate var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .noData, .expired, .overran, .notRegistered, .abandoned: true
        case .crashed, .exited, .killedForMemory, .entryFailed, .loadFailed, .interrupted: false
        }
    }
}
