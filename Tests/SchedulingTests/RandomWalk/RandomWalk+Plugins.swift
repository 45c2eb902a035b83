// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Actions of plugins and runners, regular and forbidden ones.
extension RandomWalk {
    private var plan: LaunchPlan? { pick(host.processes.values.sorted { $0.number < $1.number }) }

    /// Performs a random step of a random launch.
    func liveOn() {
        if usesCursors, random.chance(40) { return useCursors() }
        guard let plan else { return submit() }
        guard let launch = model.launches[plan.number] else { return }
        last = "a turn of launch \(plan.number)"
        if launch.stopKillTime != nil {
            return random.chance(15) ? submitContinued(from: plan) : host.end(plan, .exited(code: 0))
        }
        if launch.kill != nil {
            if random.chance(20) { writeLate(in: plan) }
            return host.end(plan, .signaled(9))
        }
        if launch.entry == .running { return enter(plan) }
        guard let task = pick(launch.tasks.filter(\.isUndone)) ?? launch.tasks.last else { return }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: host.send(.completed(plan.number, task.id, pick([.success, .failure, .noData]) ?? .success))
        case 45..<58: report(task, of: plan)
        case 58..<62: writeCursor(of: task, in: plan)
        case 62..<70: host.send(.expirationHandlerChanged(plan.number, task.id, isSet: random.chance(80)))
        case 70..<82: useAssertion(of: plan)
        case 82..<86: host.register(random.chance(50) ? .exact(.album(2)) : "com.example.app.export.*", in: plan)
        case 86..<97: submitContinued(from: plan)
        default:
            let interval: Duration? = random.chance(80) ? .minutes(20) : nil
            host.send(.fetchIntervalSet(plan.number, interval))
        }
    }

    private func enter(_ plan: LaunchPlan) {
        if random.chance(3) { return host.send(.loadFailed(plan.number, message: "no such symbol")) }
        let tasks = plan.identifiers.filter { $0.pushedPlugin == nil }
        let names = tasks + (plan.plugin.identifier == .app ? [.album(1), .album(2)] : [])
        host.enter(
            plan,
            registering: random.chance(5) ? Array(names.dropFirst()) : names,
            status: random.chance(4) ? -1 : 0,
            receives: random.chance(60)
        )
    }

    private func report(_ task: SeenTask, of plan: LaunchPlan) {
        let done = Int64.random(in: 0...40, using: &random)
        guard let progress = TaskProgress(done: done, total: 40) else { return }
        host.send(.progressed(plan.number, task.id, progress))
    }

    /// Begins or ends an assertion with one of four numbers, so that many assertions begin late or twice, or end
    /// without a beginning.
    private func useAssertion(of plan: LaunchPlan) {
        let count = UInt32.random(in: 1...4, using: &random)
        if random.chance(50) { host.beginAssertion(count, in: plan) } else { host.endAssertion(count, in: plan) }
    }

    func endProcess() {
        guard let plan else { return advance() }
        last = "the end of launch \(plan.number)'s process"
        if random.chance(20) { writeLate(in: plan) }
        let words = LastWords(signal: 11, address: 0, task: pick(model.launches[plan.number]?.tasks ?? [])?.id)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: host.end(plan, .signaled(11), words)
        case 1: host.end(plan, .signaled(6))
        case 2: host.end(plan, .exited(code: 3))
        default: host.end(plan, .outOfMemory)
        }
    }

    /// Kills a launch at its kill time, as the launch thread does. The event about the kill precedes the timer's event.
    /// Earlier messages of the runner are handled first, and may have removed the reason of the kill.
    func passKillTime() {
        let plans = host.processes.values.sorted { $0.number < $1.number }
        guard let plan = pick(plans.filter { killTime(of: $0) != nil }), let time = killTime(of: plan) else {
            return advance()
        }
        last = "the kill of launch \(plan.number) at its kill time"
        if time > host.clock.now.monotonic {
            host.advance(by: time - host.clock.now.monotonic - .nanoseconds(1))
            guard killTime(of: plan) == time, host.processes[plan.number] != nil else { return }
            host.clock.advance(by: .nanoseconds(1))
        }
        if random.chance(40) { completeAll(of: plan) }
        host.send(.killTimePassed(plan.number))
        if random.chance(70) { host.end(plan, .signaled(9)) }
        host.advance(by: .zero)
    }

    /// The time at which the launch thread will kill the launch; nil when there is none, or after the kill.
    private func killTime(of plan: LaunchPlan) -> MonotonicTime? {
        guard let launch = model.launches[plan.number], launch.kill == nil, launch.isSent else { return nil }
        return host.killTimes[plan.number]
    }

    private func completeAll(of plan: LaunchPlan) {
        guard let launch = model.launches[plan.number] else { return }
        for task in launch.tasks where task.isUndone { host.send(.completed(plan.number, task.id, .success)) }
        for assertion in launch.assertions where random.chance(50) {
            host.send(.assertionEnded(plan.number, assertion))
        }
    }

    /// Sends an event that a correct runner and plugin do not cause: a message about a foreign task, a second end of
    /// entry, a violation, a refused system call, or a failure of the host.
    func forge() {
        guard let plan else { return advance() }
        last = "a forged message of launch \(plan.number)"
        if random.chance(15) { return host.send(.launchFailedByHost(plan.number, message: "no container")) }
        let foreign = TaskID(launch: LaunchNumber(rawValue: plan.number.rawValue + 1), index: 0)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: host.send(.completed(plan.number, foreign, .success))
        case 1:
            host.send(
                .entered(plan.number, status: 0, registered: [.exact(.sweep), .exact(.clean)], offersReceive: true)
            )
        case 2: host.send(.violated(plan.number, rule: .processOfHost, message: "changed the umask"))
        case 3: host.send(.denied(plan.number, message: "ptrace"))
        case 4: report(SeenTask(id: foreign, work: plan.tasks[0].work), of: plan)
        default: host.send(.runnerExpired(plan.number, plan.tasks.map(\.id) + [foreign], .budget))
        }
    }
}
