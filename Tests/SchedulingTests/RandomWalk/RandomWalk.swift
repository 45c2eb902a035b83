// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// A host under random events, together with a naive model that checks the semantics.
///
/// A walk is a list of numbers. The first number determines the configuration of the host, and each other number one
/// step. Steps can be removed and the rest walked again.
final class RandomWalk {
    struct Failure: Error, CustomStringConvertible {
        let step: Int
        let last: String
        let message: String
        var description: String { "step \(step), after \(last): \(message)" }
        /// The message without numbers and identifiers, to compare failures.
        var kind: String { message.split(separator: " ").filter { $0.allSatisfy(\.isLetter) }.joined(separator: " ") }
    }

    let host: SchedulerDriver
    let model: NaiveHost
    /// Whether most steps of plugins are about tasks with cursors.
    let usesCursors: Bool
    /// The random generator of the current step.
    var random: SeededGenerator
    var last = "nothing"
    /// The newest device tokens that senders know, valid and ended ones.
    var knownTokens: [(plugin: PluginIdentifier, token: PushToken)] = []
    private(set) var step = 0
    private var complaint: String?

    /// Performs a walk.
    ///
    /// - Returns: The counts of the events of the walk.
    /// - Throws: `Failure`, with the first violated statement.
    @discardableResult
    static func walk(_ numbers: [UInt64], onStep: ((RandomWalk) -> Void)? = nil) throws -> WalkTally {
        guard let first = numbers.first else { return WalkTally() }
        let walk = RandomWalk(setup: first)
        walk.onStep = onStep
        try walk.walk(numbers.dropFirst())
        walk.model.tally.walks = 1
        return walk.model.tally
    }

    static func numbers(of seed: UInt64, steps: Int) -> [UInt64] {
        var random = SeededGenerator(seed: seed)
        return (0...steps).map { _ in random.next() }
    }

    /// Called after every step; nil without an observer.
    private var onStep: ((RandomWalk) -> Void)?

    private init(setup: UInt64) {
        random = SeededGenerator(seed: setup)
        let configuration = Self.configuration(from: &random)
        usesCursors = random.chance(50)
        host = SchedulerDriver { $0 = configuration }
        host.processesObey = false
        host.isStrict = false
        model = NaiveHost(watching: host) { _ in }
        host.onComplaint = { [unowned self] in complaint = complaint ?? $0 }
        model.complain = { [unowned self] in complaint = complaint ?? $0 }
        host.witness = model
    }

    private func walk(_ numbers: ArraySlice<UInt64>) throws {
        for number in numbers {
            step += 1
            host.forgetThePast()
            random = SeededGenerator(seed: number)
            if random.chance(2) { host.actionsToLive = Int.random(in: 0...4, using: &random) }
            takeStep()
            host.actionsToLive = nil
            onStep?(self)
            try check()
        }
        try drain()
    }

    /// Throws the first complaint. The expensive checks run only after some of the steps.
    func check() throws {
        if complaint == nil, random.chance(25) { model.checkRest() }
        if complaint == nil, random.chance(5) { trySmallestChange() }
        if let complaint { throw fail(complaint) }
    }

    func fail(_ message: String) -> Failure { Failure(step: step, last: last, message: message) }
    func complain(_ message: String) { complaint = complaint ?? message }

    // MARK: The end

    /// Removes every reason to wait, until all work has run.
    func drain() throws {
        last = "draining"
        host.writeHeldCommits()
        host.bringRunners()
        host.bringLoads()
        host.processesObey = true
        host.refused = [:]
        for plugin in host.ledger.pauses.keys.sorted() { host.resume(plugin) }
        for condition in Self.advisoryConditions { host.change(condition, to: false) }
        host.change(
            power: true,
            network: true,
            idle: true,
            busy: false,
            memoryLow: false,
            hot: false,
            locked: [],
            useUnknown: false,
            resources: .gpu
        )
        host.install(Self.latest, .mail(), .keyboard(version: "9.0"), Self.news)
        onStep?(self)
        let newest = host.scheduler.lastSubmission
        // After steps back of the clock, the earliest begins are further in the future.
        let begins = host.ledger.requests.compactMap(\.request.earliestBegin)
        let end = max(host.clock.now.wall, begins.max() ?? host.clock.now.wall) + .days(4)
        while hasLeft(upTo: newest), host.clock.now.wall < end {
            host.forgetThePast()
            for plan in host.processes.values.sorted(by: { $0.number < $1.number }) { finish(plan) }
            host.advance(by: host.timeToWake ?? .seconds(1))
            onStep?(self)
            if let complaint { throw fail(complaint) }
        }
        model.checkRest()
        if let complaint { throw fail(complaint) }
        if hasLeft(upTo: newest) { throw fail("what is left: \(host.pending) \(host.pendingEvents) \(host.running)") }
        if let number = host.ledger.unexplained.min() { throw fail("submission \(number) left no journal entry") }
    }

    /// Whether work with numbers up to `newest` is left, except work that the operator does not permit.
    private func hasLeft(upTo newest: SubmissionNumber) -> Bool {
        let works = host.ledger.requests.map(PendingWork.request) + host.ledger.events.map(PendingWork.event)
        let unwanted: Set<String> = ["plugin-disabled", "background-denied", "background-refresh-off"]
        return works.contains { $0.number <= newest && model.obstacles(to: $0).sure.isDisjoint(with: unwanted) }
            || model.launches.values.contains { launch in launch.tasks.contains { $0.work.number <= newest } }
    }

    private func finish(_ plan: LaunchPlan) {
        guard let launch = model.launches[plan.number] else { return }
        if launch.kill != nil { return host.end(plan, .signaled(9)) }
        if launch.stopKillTime != nil { return host.end(plan, .exited(code: 0)) }
        for assertion in launch.assertions { host.send(.assertionEnded(plan.number, assertion)) }
        if launch.entry == .running { host.enter(plan) }
        for task in model.launches[plan.number]?.tasks ?? [] where task.isUndone {
            host.send(.completed(plan.number, task.id, .success))
        }
    }
}
