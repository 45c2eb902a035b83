// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// The random steps of a walk, except those of plugins.
extension RandomWalk {
    func takeStep() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<16: submit()
        case 16..<21: submitContinued(from: nil)
        case 21..<23: trigger()
        case 23..<24: push()
        case 24..<28: cancel()
        case 28..<30: stopTask()
        case 30..<55: liveOn()
        case 55..<65: advance()
        case 65..<66: useTokens()
        case 66..<68: stepClock()
        case 68..<75: changeConditions()
        case 75..<79: changeCatalogue()
        case 79..<82: simulate()
        case 82..<88: changeCommits()
        case 88..<91: changeRunners()
        case 91..<92: changeLoads()
        case 92..<93: restart()
        case 93..<95: forge()
        case 95..<96: pausePlugin()
        case 96..<97: stopHost()
        case 97..<98: passKillTime()
        default: endProcess()
        }
    }

    func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    /// Submits a random request, in most cases by the plugin that owns its identifier.
    func submit() {
        let identifier = pick(Self.tasks + [.inbox, .sweep, Self.newsTask, .album(1)]) ?? .clean
        let kind: TaskKind =
            random.chance(5)
            ? pick([.refresh, .processing, .healthResearch, .event]) ?? .event
            : [.feed, .inbox].contains(identifier) ? .refresh : identifier == .study ? .healthResearch : .processing
        let isMail = [.inbox, .sweep].contains(identifier)
        let owner: PluginIdentifier = isMail ? .mail : identifier == Self.newsTask ? Self.news.identifier : .app
        let submitters: [Submitter] = [.user, .plugin(.keyboard)] + Array(repeating: .plugin(owner), count: 6)
        last = "a submission of \(identifier) as \(kind.name)"
        let request = TaskRequest(
            identifier: identifier,
            kind: kind,
            earliestBegin: random.chance(40)
                ? host.clock.now.wall + .seconds(Int.random(in: -10...600, using: &random)) : nil,
            expiresAt: random.chance(12)
                ? host.clock.now.wall + .seconds(Int.random(in: -10...900, using: &random)) : nil,
            requiresNetwork: random.chance(20),
            requiresExternalPower: random.chance(20),
            protection: pick(ProtectionType.allCases) ?? .complete
        )
        let submission = Submission(request: request, payload: [1], submitter: pick(submitters) ?? .user)
        _ = host.ask { .submitted(submission, reply: $0) }
    }

    func submitContinued(from plan: LaunchPlan?) {
        let identifier: TaskIdentifier =
            pick([.album(1), .album(2), .album(3), .album(4), .clean, .sweep]) ?? .album(1)
        last = "a continued submission of \(identifier)" + (plan.map { " from launch \($0.number)" } ?? "")
        host.submitContinued(
            identifier,
            strategy: random.chance(25) ? .fail : .queue,
            needing: random.chance(15) ? .gpu : [],
            by: plan == nil && random.chance(10) ? .plugin(.app) : nil,
            from: plan
        )
    }

    private func push() {
        let plugin: PluginIdentifier = pick([.app, .app, .app, .mail, .keyboard]) ?? .app
        last = "a push to \(plugin)"
        let deadline: Duration? = random.chance(30) ? .seconds(Int.random(in: -10...900, using: &random)) : nil
        host.push(
            to: plugin,
            until: deadline,
            isLowPriority: random.chance(20),
            isOnlyNow: random.chance(20),
            identity: random.chance(40) ? Self.identity(Int.random(in: 0..<6, using: &random)) : nil
        )
    }

    private static func identity(_ number: Int) -> PushIdentity? {
        PushIdentity(bytes: [UInt8](repeating: UInt8(number), count: PushIdentity.size))
    }

    /// Changes the device token of a plugin, or pushes with a token that a sender knows.
    private func useTokens() {
        if random.chance(50), let known = pick(knownTokens) { return push(to: known.plugin, with: known.token) }
        let plugin: PluginIdentifier = pick([.app, .app, .app, .mail, .keyboard]) ?? .app
        let token = PushToken(using: &random)
        let change: PushTokenChange = pick([.issue(token), .issue(token), .rotate(to: token), .revoke]) ?? .revoke
        let launches = host.processes.values.filter { $0.plugin.identifier == plugin }.map(\.number).sorted()
        last = "a change of the token of \(plugin)"
        host.changePushToken(of: plugin, change, from: random.chance(40) ? pick(launches) : nil)
        knownTokens = knownTokens.suffix(7) + [(plugin, token)]
    }

    /// Compares the token with the ledger before the push, as the host does behind all changes of the token.
    private func push(to plugin: PluginIdentifier, with token: PushToken) {
        if model.isTokenChanging(of: plugin) { return push() }
        let isValid = host.ledger.pushTokens[plugin] == token
        last = "a push to \(plugin) with \(isValid ? "its" : "an ended") token"
        if isValid != (model.tokens[plugin] == token) { complain("a token of \(plugin) is valid by mistake, or ended") }
        if isValid { host.push(to: plugin) }
    }

    private func trigger() {
        last = "a trigger"
        host.trigger(payload: random.chance(50) ? [1] : [])
    }

    private func cancel() {
        let plugin: PluginIdentifier = pick([.app, .app, .mail, .keyboard]) ?? .app
        if random.chance(20) {
            last = "cancelling all of \(plugin)"
            host.cancelAll(of: plugin)
        } else {
            let identifier = pick(Self.tasks + [.album(1), .album(2)] + host.running) ?? .clean
            last = "cancelling \(identifier)"
            host.cancel(identifier, of: plugin)
        }
    }

    private func stopTask() {
        if random.chance(30), let plan = pick(host.processes.values.sorted { $0.number < $1.number }) {
            last = "a user's stop of launch \(plan.number)"
            host.stopLaunch(plan.number)
            return
        }
        let identifier = pick(host.running + [.album(1), .album(2)]) ?? .album(1)
        last = "a user's stop of \(identifier)"
        host.stopTask(identifier)
    }

    /// Pauses a plugin, in half of the cases with an end, or resumes it.
    private func pausePlugin() {
        let plugin = pick([PluginIdentifier.app, .app, .mail, .keyboard]) ?? .app
        if host.ledger.pauses[plugin] != nil, random.chance(70) {
            last = "the resumption of \(plugin)"
            host.resume(plugin)
        } else {
            last = "a pause of \(plugin)"
            let end = host.clock.now.wall + .seconds(Int.random(in: 0...600, using: &random))
            host.pause(plugin, until: random.chance(50) ? end : nil)
        }
    }

    private func simulate() {
        // The model does not know the order in which simulations that wait for a load take effect.
        if host.scheduler.loading.isPartial { return advance() }
        let identifier = pick(host.pending + host.running) ?? .clean
        last = "a simulation of \(identifier)"
        if random.chance(70) {
            host.requestRun(of: identifier)
        } else {
            host.simulateExpiration(of: identifier)
        }
    }

    // MARK: The environment

    func advance() {
        // A host without commits, runners or loads retries all the time and makes no progress, so that long steps would
        // be slow.
        let isInVain = host.commits == .failing || host.runners == .unavailable || host.loads == .failing
        let seconds = pick(isInVain ? [0, 1, 11, 35, 120] : [0, 1, 1, 5, 11, 30, 35, 120, 601, 700, 7_200]) ?? 1
        last = "\(seconds) seconds"
        host.advance(by: .seconds(seconds))
    }

    private func stepClock() {
        if random.chance(30) { return changeTimeZone() }
        let seconds = pick([-86_400, -7_200, -600, -30, 30, 600, 7_200]) ?? 30
        last = "a step of the clock by \(seconds) seconds"
        if seconds > 0, random.chance(30) { host.send(.resumed) }
        host.stepWallClock(by: .seconds(seconds))
    }

    private func changeTimeZone() {
        last = "a change of the time zone"
        let rules: [TimeZoneRules] = [.utc, .berlin, .newYork, .honolulu, .tokyo]
        host.send(.timeZonesChanged(.machine(pick(rules) ?? .utc)))
    }

    /// The conditions that the walk sets through the general `change`: every condition without a function of its own. A
    /// new condition is one of them, and fails the walk until the model contains it.
    static let advisoryConditions = Condition.all.filter { condition in
        ![.externalPower, .network, .idle, .highLoad, .lowMemory, .hot, .gpu].contains(condition)
    }

    /// Changes one condition at random, in most cases so that work can run.
    private func changeConditions() {
        last = "a change of conditions"
        let isGood = random.chance(65)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: host.change(power: isGood)
        case 1: host.change(network: isGood)
        case 2, 3: host.change(idle: isGood)
        case 4: host.change(busy: !isGood)
        case 5: host.change(memoryLow: !isGood)
        case 6: host.change(hot: !isGood, resources: random.chance(50) ? .gpu : [])
        case 7: host.change(useUnknown: !isGood)
        case 8: if let condition = pick(Self.advisoryConditions) { host.change(condition, to: !isGood) }
        default: host.change(locked: isGood ? [] : [.app], unseen: random.chance(20) ? [.app] : [])
        }
    }

    private func changeCatalogue() {
        if random.chance(15), let plugin = pick(host.installed)?.identifier {
            last = "the removal of \(plugin)"
            if random.chance(30) { host.refused[plugin] = "it is torn" }
            host.remove(plugin)
        } else if random.chance(10), let plugin = pick([PluginIdentifier.app, .mail, .keyboard]) {
            last = "a purge of \(plugin)"
            host.purge(plugin)
        } else if let entry = pick(Self.entries) {
            last = "the installation of \(entry.identifier) \(entry.version)"
            host.refused[entry.identifier] = random.chance(5) ? "another one is torn" : nil
            host.install(entry)
        }
    }

    // MARK: The host

    private func changeCommits() {
        last = "a change of what the ledger does"
        if host.heldCommits.isEmpty {
            host.commits = pick([.written, .written, .written, .held, .held, .failing]) ?? .written
        } else if random.chance(20) {
            host.failNextCommit()
        } else if random.chance(50) {
            host.writeNextCommit()
        } else {
            host.writeHeldCommits()
        }
    }

    private func changeRunners() {
        last = "a change of what runners do"
        if !host.heldRunners.isEmpty { return host.bringRunners() }
        host.runners = pick([.ready, .ready, .ready, .held, .unavailable]) ?? .ready
    }

    private func changeLoads() {
        last = "a change of what loads do"
        if host.heldLoads.isEmpty {
            host.loads = pick([.ready, .held, .held, .failing]) ?? .ready
        } else if random.chance(30) {
            host.failNextLoad()
        } else if random.chance(60) {
            host.bringNextLoad()
        } else {
            host.bringLoads()
        }
    }

    private func restart() {
        last = "a restart"
        if random.chance(40) { host.loads = pick([.held, .held, .failing]) ?? .held }
        host.restart(after: .seconds(Int.random(in: 0...60, using: &random)), rebooting: random.chance(30))
    }

    /// Stops the host in order and starts it again.
    private func stopHost() {
        last = "an orderly stop"
        host.stop()
        host.advance(by: .seconds(pick([0, 1, 7, 60]) ?? 0))
        restart()
    }
}
