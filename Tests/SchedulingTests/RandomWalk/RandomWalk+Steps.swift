// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// What can happen at a step.
extension RandomWalk {
    private static let tasks: [TaskIdentifier] = [
        .feed, .headlines, .clean, .vacuum, .index, .job(1), .job(2), .job(3),
    ]
    private static let entries: [PluginEntry] = [
        .app(), .app(version: "2.0", extensions: [.keyboard]), .app(permitted: [.exact(.clean), .exact(.feed)]),
        .app(modes: [.processing], extensions: [.keyboard]), .mail(), .keyboard(), .keyboard(version: "2.0"),
    ]

    func takeStep() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<19: submit()
        case 19..<24: trigger()
        case 24..<28: cancel()
        case 28..<46: liveOn()
        case 46..<58: advance()
        case 58..<62: stepClock()
        case 62..<68: changeConditions()
        case 68..<74: changeCatalogue()
        case 74..<77: simulate()
        case 77..<85: changeCommits()
        case 85..<92: changeRunners()
        case 92..<94: restart()
        case 94..<97: forge()
        default: endProcess()
        }
    }

    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    private func submit() {
        let identifier = pick(Self.tasks + [.inbox, .sweep]) ?? .clean
        let isMail = [.inbox, .sweep].contains(identifier)
        let isRefresh = [.feed, .headlines, .inbox].contains(identifier) != random.chance(10)
        last = "a submission of \(identifier)"
        host.submit(
            identifier,
            as: isRefresh ? .refresh : .processing,
            after: random.chance(60) ? .seconds(Int.random(in: -10...600, using: &random)) : nil,
            needsPower: random.chance(25),
            needsNetwork: random.chance(25),
            by: pick([.person, .plugin(.keyboard)] + Array(repeating: .plugin(isMail ? .mail : .app), count: 6))
                ?? .person
        )
    }

    private func trigger() {
        last = "a trigger"
        host.trigger(payload: random.chance(50) ? [1] : [])
    }

    private func cancel() {
        let plugin: PluginIdentifier = random.chance(70) ? .app : .mail
        let reply = ReplyToken(rawValue: host.lastReply + 1)
        if random.chance(20) {
            last = "cancelling all of \(plugin)"
            willCancel({ _ in true }, of: plugin, reply: reply)
            host.cancelAll(of: plugin)
        } else {
            let identifier = pick(Self.tasks) ?? .clean
            last = "cancelling \(identifier)"
            willCancel({ $0 == identifier }, of: .app, reply: reply)
            host.cancel(identifier, of: .app)
        }
    }

    /// A launch does what plugins do.
    private func liveOn() {
        guard let plan = pick(host.processes.values.sorted { $0.number < $1.number }) else { return submit() }
        guard let launch = host.scheduler.launches[plan.number] else { return }
        last = "a turn of launch \(plan.number)"
        if case .finishing = launch.phase { return host.end(plan, .exited(code: 0)) }
        if launch.killReason != nil { return host.end(plan, .signaled(9)) }
        if launch.entry == .running {
            let names = plan.identifiers
            return host.enter(
                plan,
                registering: random.chance(5) ? Array(names.dropFirst()) : names,
                status: random.chance(5) ? -1 : 0,
                receives: random.chance(50)
            )
        }
        guard let task = pick(plan.tasks) else { return }
        if random.chance(25) { return useAssertion(of: plan) }
        if random.chance(20) {
            host.send(.expirationHandlerChanged(plan.number, task.id, isSet: random.chance(80)))
        } else {
            host.send(.completed(plan.number, task.id, pick([.success, .failure, .noData]) ?? .success))
        }
    }

    /// Counts are drawn from few, so that many of them come too late, twice or never began.
    private func useAssertion(of plan: LaunchPlan) {
        let count = UInt32.random(in: 1...4, using: &random)
        if random.chance(50) { host.beginAssertion(count, in: plan) } else { host.endAssertion(count, in: plan) }
    }

    private func endProcess() {
        guard let plan = pick(host.processes.values.sorted { $0.number < $1.number }) else { return advance() }
        last = "the end of launch \(plan.number)'s process"
        let words = LastWords(signal: 11, address: 0, task: pick(plan.tasks)?.id)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: host.end(plan, .signaled(11), words)
        case 1: host.end(plan, .signaled(6))
        case 2: host.end(plan, .exited(code: 3))
        default: host.end(plan, .outOfMemory)
        }
    }

    private func advance() {
        let seconds = pick([0, 1, 1, 5, 11, 30, 35, 120, 601, 700, 7_200]) ?? 1
        last = "\(seconds) seconds"
        host.advance(by: .seconds(seconds))
    }

    private func stepClock() {
        let seconds = pick([-7_200, -600, -30, 30, 600, 7_200]) ?? 30
        last = "a step of the clock by \(seconds) seconds"
        host.stepWallClock(by: .seconds(seconds))
    }

    private func changeConditions() {
        last = "a change of conditions"
        host.change(power: random.chance(50), network: random.chance(50))
    }

    private func changeCatalogue() {
        if random.chance(25), let plugin = pick(host.installed)?.identifier {
            last = "the removal of \(plugin)"
            host.remove(plugin)
        } else if let entry = pick(Self.entries) {
            last = "the installation of \(entry.identifier)"
            host.install(entry)
        }
    }

    private func simulate() {
        let identifier = pick(host.pending + host.running) ?? .clean
        last = "a simulation of \(identifier)"
        if random.chance(60) {
            host.simulateLaunch(of: identifier)
        } else {
            host.simulateExpiration(of: identifier)
        }
    }

    private func changeCommits() {
        last = "a change of what the ledger does"
        if !host.heldCommits.isEmpty {
            if random.chance(15) { return host.failNextCommit() }
            if random.chance(60) { return host.writeNextCommit() }
            return host.writeHeldCommits()
        }
        host.commits = pick([.written, .written, .held, .held, .failing]) ?? .written
    }

    private func changeRunners() {
        last = "a change of what runners do"
        if !host.heldRunners.isEmpty { return host.bringRunners() }
        host.runners = pick([.ready, .ready, .held, .unavailable]) ?? .ready
    }

    private func restart() {
        last = "a restart"
        host.restart(after: .seconds(Int.random(in: 0...60, using: &random)), rebooting: random.chance(30))
    }

    /// A runner that says what is not its to say.
    private func forge() {
        guard let plan = pick(host.processes.values.sorted { $0.number < $1.number }) else { return advance() }
        last = "a forged message of launch \(plan.number)"
        if random.chance(20) { return host.send(.planNotSent(plan.number, message: "no container")) }
        let foreign = TaskID(launch: LaunchNumber(rawValue: plan.number.rawValue + 1), index: 0)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: host.send(.completed(plan.number, foreign, .success))
        case 1:
            host.send(
                .entered(plan.number, status: 0, registered: [.exact(.sweep), .exact(.clean)], offersReceive: true)
            )
        case 2: host.send(.violated(plan.number, rule: "BGT-ABI-16", message: "changed the umask"))
        default: host.send(.runnerExpired(plan.number, plan.tasks.map(\.id) + [foreign], .budget))
        }
    }

    // MARK: The end

    /// Gives everything that could be waited for, until nothing is left to run.
    func drain() throws {
        last = "draining"
        host.writeHeldCommits()
        host.bringRunners()
        host.processesObey = true
        host.change(power: true, network: true)
        host.install(.app(version: "9.0", extensions: [.keyboard]), .mail(), .keyboard(version: "9.0"))
        for _ in 0..<200 {
            step += 1
            host.forgetThePast()
            for plan in host.processes.values.sorted(by: { $0.number < $1.number }) { finish(plan) }
            host.advance(by: .minutes(4))
            try check()
        }
        if let left = host.scheduler.pendingRequests.first {
            throw fail("\(left.request.identifier) is left: \(host.reasons(left.request.identifier))")
        }
        if !host.scheduler.pendingEvents.isEmpty { throw fail("an event is left") }
        if !host.scheduler.launches.isEmpty { throw fail("a launch is left") }
        if let number = host.ledger.unexplained.min() { throw fail("submission \(number) left no journal entry") }
        if let wait = host.timeToWake { throw fail("the idle host is to be woken in \(wait)") }
        host.stop()
        if !host.hasStopped { throw fail("the idle host does not stop") }
    }

    private func finish(_ plan: LaunchPlan) {
        guard let launch = host.scheduler.launches[plan.number] else { return }
        if launch.killReason != nil { return host.end(plan, .signaled(9)) }
        if case .finishing = launch.phase { return host.end(plan, .exited(code: 0)) }
        for count in 1...4 as ClosedRange<UInt32> { host.endAssertion(count, in: plan) }
        host.runToTheEnd(plan)
    }
}
