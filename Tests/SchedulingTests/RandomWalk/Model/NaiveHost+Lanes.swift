// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Obstacles by other launches, and the checks of a new launch (C1, C7, C8, C11).
extension NaiveHost {
    func passingObstacles(to work: PendingWork) -> Obstacles {
        var found = Obstacles()
        let lane = work.kind.lane
        if lane == .continued {
            let own = host.scheduler.plugins.find(work.plugin)?.reserved[work.number]
            let isPrepared = own.map { preparing.contains($0) } ?? false
            if isPrepared || isInEntry(origins[work.number], of: work.plugin) { found.sure.insert("lane-busy") }
        } else if launches.values.contains(where: { $0.plugin == work.plugin && $0.lane == lane })
            || prepared(in: lane).contains(work.plugin)
        {
            found.sure.insert("lane-busy")
        }
        let taken = capacityUsed(in: lane) + prepared(in: lane).count + coming(into: lane)
        if found.sure.isEmpty, !userRequested.contains(work.number), takesCapacity(work),
            taken >= configuration.launchLimit(in: lane)
        {
            found.sure.insert("launch-limit")
        }
        if let until = trouble[work.plugin], until > now.monotonic { found.sure.insert("runner-unavailable") }
        if isStopping { found.sure.insert("host-stopping") }
        if isEndOfOlderOneUnwritten(work) { found.perhaps.insert("being-recorded") }
        if lane != .continued, isPrecededByAnother(work) { found.perhaps.insert("others-run-alone") }
        return found
    }

    /// Number of begun launches that use capacity of the lane: all that do not stop, and the stopping ones in excess of
    /// the limit (C7).
    func capacityUsed(in lane: Lane) -> Int {
        let inLane = launches.values.filter { $0.lane == lane }
        return inLane.count - min(inLane.count { $0.stopKillTime != nil }, configuration.launchLimit(in: lane))
    }

    /// Whether an older task of the identifier has ended, and its end is not in the ledger yet.
    private func isEndOfOlderOneUnwritten(_ work: PendingWork) -> Bool {
        guard let identifier = work.identifier else { return false }
        return launches.values.contains { launch in
            launch.plugin == work.plugin
                && launch.tasks.contains { task in
                    task.work.identifier == identifier && task.work.number < work.number
                        && (launch.isConcluded || !task.isUndone && task.outcomes == 0)
                }
        }
    }

    /// Number of launches that will move to the continued lane when the commit of their additional task succeeds; 0 for
    /// other lanes.
    func coming(into lane: Lane) -> Int {
        if lane != .continued { return 0 }
        let homes = underWay.values.joined().compactMap { change in
            if case .startTask(let number, _) = change { number } else { nil }
        }
        return Set(homes).count { launches[$0].map { $0.lane != .continued } ?? false }
    }

    /// The plugins for which runners of the lane are being prepared. They are read from the scheduler, because no plan
    /// exists yet.
    func prepared(in lane: Lane) -> [PluginIdentifier] {
        preparing.compactMap { host.scheduler.launches.find($0) }.filter { $0.lane == lane }.map(\.plugin)
    }

    /// Whether other pending work of the plugin may come first: for a request one that runs alone, for an event any
    /// other event.
    private func isPrecededByAnother(_ work: PendingWork) -> Bool {
        if case .event = work {
            return host.ledger.events.contains { $0.plugin == work.plugin && $0.number != work.number }
        }
        return host.ledger.requests.contains {
            $0.plugin == work.plugin && $0.number != work.number && $0.retry.runsAlone
                && $0.request.kind != .continued
        }
    }

    private func isInEntry(_ number: LaunchNumber?, of plugin: PluginIdentifier) -> Bool {
        guard let launch = number.flatMap({ launches[$0] }) else { return false }
        return launch.plugin == plugin && launch.isHeard && launch.entry == .running
    }

    /// The launch that a continued request may join; nil without one. It is the launch that submitted the request,
    /// while it runs, has a handler for the request, and its assertions have not expired.
    func home(of work: PendingWork) -> SeenLaunch? {
        guard let launch = origins[work.number].flatMap({ launches[$0] }), launch.plugin == work.plugin, launch.runs,
            launch.assertionsKillTime == nil, let identifier = work.identifier,
            launch.registered.contains(where: { $0.covers(identifier) })
        else { return nil }
        return launch
    }

    private func takesCapacity(_ work: PendingWork) -> Bool { home(of: work)?.lane != .continued }

    // MARK: A launch begins

    func started(_ plan: LaunchPlan) {
        preparing.remove(plan.number)
        let works = plan.tasks.map(\.work)
        judgeBatch(works, of: plan)
        judgeLane(of: plan)
        if entry(plan.plugin.identifier) != plan.plugin { complain("launch \(plan.number) has an old manifest") }
        let budgets = policy(plan.plugin.identifier).budgets ?? configuration.budgets
        let total = works.compactMap { budgets[$0.kind] }.max()
        if plan.budget.total != total { complain("launch \(plan.number) has \(plan.budget.words)") }
        let isTriggered = works.contains { work in
            if case .event(let event) = work { event.type == .trigger } else { false }
        }
        launches[plan.number] = SeenLaunch(
            plan: plan,
            lane: plan.lane,
            tasks: plan.tasks.map { SeenTask(id: $0.id, work: $0.work) },
            conditionsAtClose: conditions,
            isForeground: isTriggered || works.contains { userRequested.contains($0.number) }
        )
    }

    private func judgeBatch(_ works: [PendingWork], of plan: LaunchPlan) {
        if works.isEmpty { complain("launch \(plan.number) has no task") }
        if works.count > configuration.batchSize { complain("launch \(plan.number) has too many tasks") }
        if works.count > 1, works.contains(where: \.retry.runsAlone) {
            complain("launch \(plan.number) runs together what has to run alone")
        }
        if plan.lane == .continued, works.count != 1 { complain("launch \(plan.number) has several continued tasks") }
        for work in works {
            if work.kind.lane != plan.lane { complain("\(work.label) is launched in the \(plan.lane.name) lane") }
            if work.plugin != plan.plugin.identifier { complain("\(work.label) is launched in another plugin") }
            judgeBegin(of: work)
        }
        if plan.lane == .background { judgeCompleteness(of: works, plan) }
        if plan.lane == .event {
            let first = host.ledger.events.filter { $0.plugin == plan.plugin.identifier }.prefix(works.count)
            if first.map(\.number) != works.map(\.number) { complain("launch \(plan.number) mixes up its events") }
        }
    }

    /// Complains about work that begins after its end, or although an obstacle is certain.
    func judgeBegin(of work: PendingWork) {
        if dead.contains(work.number) { complain("\(work.label) (\(work.number)) begins, though it was over") }
        let against = obstacles(to: work).sure
        if !against.isEmpty { complain("\(work.label) (\(work.number)) begins in spite of \(against.sorted())") }
    }

    /// Complains if a background launch omits a request of its plugin that could run, of any kind except continued
    /// (C7).
    private func judgeCompleteness(of works: [PendingWork], _ plan: LaunchPlan) {
        guard works.count < configuration.batchSize, !works.contains(where: \.retry.runsAlone) else { return }
        // A launch above the capacity, at a user's request, has no place for other requests.
        let others = capacityUsed(in: .background) + prepared(in: .background).count
        if others >= configuration.backgroundLaunches { return }
        for request in host.ledger.requests where request.plugin == plan.plugin.identifier {
            let work = PendingWork.request(request)
            if request.request.kind == .continued || works.contains(where: { $0.number == request.number }) { continue }
            let found = obstacles(to: work)
            if found.sure.isEmpty, found.perhaps.isEmpty, !isUnderWay(request), !isEndOfOlderOneUnwritten(work) {
                complain("launch \(plan.number) leaves out \(work.label) (\(work.number))")
            }
        }
    }

    private func judgeLane(of plan: LaunchPlan) {
        let others = launches.values.filter { $0.lane == plan.lane }
        if plan.lane != .continued, let other = others.first(where: { $0.plugin == plan.plugin.identifier }) {
            complain("launches \(other.number) and \(plan.number) share the \(plan.lane.name) lane")
        }
        let isUserRequested = plan.tasks.contains { userRequested.contains($0.work.number) }
        if !isUserRequested, capacityUsed(in: plan.lane) >= configuration.launchLimit(in: plan.lane) {
            complain("launch \(plan.number) is one too many in the \(plan.lane.name) lane")
        }
    }

    /// Checks a task that joins a running launch: its begin is permitted, its submitter is that launch (C8), and it is
    /// not there twice. The continued lane has capacity, unless the launch is in this lane or a user requested the
    /// task.
    func joined(_ task: PlannedTask, _ number: LaunchNumber) {
        judgeBegin(of: task.work)
        guard let launch = home(of: task.work), launch.number == number else {
            return complain("\(task.work.label) joins launch \(number), which is not its home")
        }
        if launch.tasks.contains(where: { $0.id == task.id }) { complain("launch \(number) has two tasks \(task.id)") }
        if launch.lane != .continued, !userRequested.contains(task.work.number),
            capacityUsed(in: .continued) >= configuration.continuedLaunches
        {
            complain("launch \(number) is one too many in the continued lane")
        }
    }

    func sent(_ plan: LaunchPlan) {
        launches[plan.number]?.isSent = true
        launches[plan.number]?.plan = plan
        launches[plan.number]?.entryDeadline = plan.budget.deadline ?? now.monotonic + configuration.stallLimit
        for task in plan.tasks { begins(task.work) }
    }

    func handed(_ task: PlannedTask, to number: LaunchNumber) {
        begins(task.work)
        guard let index = launches[number]?.index(of: task.id) else {
            return complain("task \(task.id) is handed over before it is on disk")
        }
        launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
    }

    /// Reports a defect if work begins a second time although it was neither interrupted nor failed, and does not
    /// continue at its cursor.
    private func begins(_ work: PendingWork) {
        if !delivered.insert(work.number).inserted, !work.retry.wasInterrupted, work.retry.failures == 0,
            !continuing.contains(work.number)
        {
            complain("\(work.label) (\(work.number)) runs again without an interruption or a failure")
        }
    }
}
