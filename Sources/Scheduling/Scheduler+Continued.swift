// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

// Continued tasks: they join the launch that submitted them or get a launch of their own, and last for as long as they
// progress (C8).
extension Scheduler {
    /// Maximum number of tasks of one launch over its lifetime. A launch that has had this number takes no more
    /// continued requests; they get launches of their own.
    private static let mostTasks = 1_000

    mutating func considerContinued(of plugin: PluginIdentifier, at now: Moment) {
        var groups: [LaneEvaluation.Group] = []
        for group in evaluate(plugin, in: .continued, at: now).groups {
            var reasons = group.reasons
            if reasons.isEmpty, launchContinued(group, of: plugin, at: now) == .lacksCapacity {
                let limit = configuration.launchLimit(in: .continued)
                reasons = [launches.use(of: .continued).reason(in: .continued, limit: limit)].compactMap { $0 }
            }
            groups.append(LaneEvaluation.Group(index: group.index, key: group.key, reasons: reasons))
        }
        arrange(groups, of: plugin, in: .continued, at: now)
    }

    private enum Capacity { case suffices, lacksCapacity }

    /// Runs the members of a group of continued requests, as far as there is capacity: first those that running
    /// launches submitted, then the others, each time oldest first. Each member is delivered to the running launch that
    /// submitted it, or gets a launch of its own.
    private mutating func launchContinued(
        _ group: LaneEvaluation.Group,
        of plugin: PluginIdentifier,
        at now: Moment
    ) -> Capacity {
        var result = Capacity.suffices
        // Requests submitted by a launch come first, because they may need no capacity; there are never many.
        for number in plugins[plugin].origins.keys.sorted() where plugins[plugin].reserved[number] == nil {
            guard let place = plugins[plugin].member(number, of: group.index),
                let request = presented(place, of: plugin), let launch = takingLaunch(for: request)
            else { continue }
            if group.key.isUserRequested || launches.find(launch)?.lane == .continued || hasContinuedCapacity {
                deliver(request, to: launch, at: now)
            } else {
                result = .lacksCapacity
            }
        }
        var last: SubmissionNumber?
        while let place = plugins[plugin].member(after: last, of: group.index) {
            last = place.number
            if awaitedLaunch(of: place.number, plugin) != nil { continue }
            if let request = presented(place, of: plugin), takingLaunch(for: request) != nil { continue }
            guard group.key.isUserRequested || hasContinuedCapacity else { return .lacksCapacity }
            let launch = prepareLaunch(of: plugin, in: .continued)
            plugins[plugin].reserved[place.number] = launch
        }
        return result
    }

    private var hasContinuedCapacity: Bool {
        !launches.use(of: .continued).isUsedUp(configuration.launchLimit(in: .continued))
    }

    /// The batch of a launch that was prepared for a single continued request; empty when the request may not run now.
    func continuedBatch(of plugin: PluginIdentifier, for own: LaunchNumber, at now: Moment) -> [PendingRequest] {
        guard let number = plugins[plugin].reserved.first(where: { $0.value == own })?.key,
            let place = plugins[plugin].requests.groups.indices(in: .continued).lazy
                .compactMap({ plugins[plugin].member(number, of: $0) }).first,
            let request = presented(place, of: plugin)
        else { return [] }
        var facts = Eligibility.WorkFacts()
        let identifier = request.request.identifier
        facts.isInFlight = plugins[plugin].requests.isInFlight(identifier)
        if request.isOverdue(at: now.wall) { facts.overdueUntil = overdueEnd(at: now) }
        facts.isUserRequested = plugins[plugin].requests.isUserRequested(identifier)
        facts.isPermitted = plugins[plugin].requests.isPermitted(identifier, as: .continued)
        facts.needsCapacity = needsCapacity(request)
        let standing = standing(of: plugin, in: .continued, for: own)
        let occupancy = occupancy(of: .continued, for: own)
        return reasons(against: .request(request), facts, standing, occupancy, at: now).isEmpty ? [request] : []
    }

    /// The launch that submitted the request, if the request can be delivered to it. Nil unless the launch has returned
    /// from its entry function, is not about to end, has had fewer than `mostTasks` tasks and has a handler for the
    /// identifier. Nil, too, when its library, which may be an older version of the plugin, does not have the kind.
    private func takingLaunch(for request: PendingRequest) -> LaunchNumber? {
        let identifier = request.request.identifier
        guard let number = plugins[request.plugin].origins[request.number],
            let execution = launches.listening(number), launches.find(number)?.plugin == request.plugin,
            execution.entry == .returned, execution.assertions.expiration == nil,
            execution.tasksHanded < Self.mostTasks,
            configuration.abiMinors.delivers(request.request.kind, to: execution.plan.plugin.library),
            execution.registered.contains(where: { $0.covers(identifier) })
        else { return nil }
        return number
    }

    /// The launch that blocks the request for now; nil when there is none. It is the launch that is being prepared for
    /// the request, or the launch that submitted the request and is still in its entry function. The latter may take
    /// the request when its entry function has returned.
    func awaitedLaunch(of number: SubmissionNumber, _ plugin: PluginIdentifier) -> LaunchNumber? {
        if let own = plugins[plugin].reserved[number] { return own }
        guard let origin = plugins[plugin].origins[number], let execution = launches.listening(origin),
            execution.entry.isRunning, launches.find(origin)?.plugin == plugin
        else { return nil }
        return origin
    }

    /// Whether the request needs capacity of the continued lane. A request that joins a launch in that lane needs none.
    func needsCapacity(_ request: PendingRequest) -> Bool {
        takingLaunch(for: request).map { launches.find($0)?.lane != .continued } ?? true
    }

    // MARK: Delivery into a running launch

    private mutating func deliver(_ request: PendingRequest, to number: LaunchNumber, at now: Moment) {
        guard let launch = launches.find(number), let execution = launch.execution else { return }
        let work = PendingWork.request(request)
        let since = eligibleSince(work, preparedAt: nil, at: now.wall)
        let id = TaskID(launch: number, index: execution.tasksHanded)
        let task = PlannedTask(id: id, work: work, eligibleSince: since)
        let change = inFlight.nextChange()
        launches.execute(number) { execution in
            execution.tasksHanded += 1
            execution.arriving.append(task)
            execution.undecided += 1
        }
        if launch.lane != .continued { launches.setMoving(true, number) }
        let identifier = request.request.identifier
        plugins[request.plugin].requests.begin(.removes(request.number), about: identifier, as: change)
        launches.begin(identifier, in: number)
        let move: [LedgerChange] = launch.lane == .continued ? [] : [.moveLaunch(number, to: .continued)]
        stage(.delivery(number, task, change), [.startTask(number, task)] + move)
    }

    /// Adds a task whose delivery is on disk to the tasks of its launch, even if the launch's process has ended in the
    /// meantime.
    mutating func delivered(_ task: PlannedTask, to number: LaunchNumber, _ change: ChangeNumber, at now: Moment) {
        guard let plugin = launches.find(number)?.plugin else { return }
        if let identifier = task.work.identifier {
            remove(identifier, task.work.number, of: plugin)
            plugins[plugin].requests.end(change, about: identifier)
        }
        let stallsAt = now.monotonic + configuration.stallLimit
        let index = launches.execute(number) { execution -> Int? in
            execution.arriving.removeAll { $0.id == task.id }
            execution.undecided -= 1
            execution.tasks.append(Execution.Task(id: task.id, work: task.work))
            guard execution.isListening else { return nil }
            execution.assertionDeadline = nil
            execution.tasks[execution.tasks.count - 1].stallsAt = stallsAt
            return execution.tasks.count - 1
        }
        settleMove(of: number)
        guard let index = index ?? nil else { return concludeIfDecided(number, at: now) }
        takeCursor(for: task.work)
        emit(.deliver(number, task))
        if isStopping { expire(number, [index], because: .hostShutdown, at: now) }
        toEnforceAnew.insert(number)
        moveToContinuedLane(number, at: now)
        relievePressure(at: now)
        resumeOperations(of: plugin, at: now)
    }

    mutating func notDelivered(
        _ task: PlannedTask,
        to number: LaunchNumber,
        _ change: ChangeNumber,
        because message: String,
        at now: Moment
    ) {
        let plugin = task.work.plugin
        if let identifier = task.work.identifier {
            plugins[plugin].requests.end(change, about: identifier)
            endTask(of: identifier, in: number)
        }
        launches.execute(number) { execution in
            execution.arriving.removeAll { $0.id == task.id }
            execution.undecided -= 1
        }
        settleMove(of: number)
        delayLaunches(of: plugin, because: "the start of \(task.work.label) could not be recorded: \(message)", at: now)
        concludeIfDecided(number, at: now)
        stopIfDone(number, at: now)
        resumeOperations(of: plugin, at: now)
        consider(plugin, .continued, at: now)
    }

    private mutating func settleMove(of number: LaunchNumber) {
        if launches.find(number)?.execution?.arriving.isEmpty ?? true { launches.setMoving(false, number) }
    }

    /// Moves a launch to the continued lane. Its previous lane becomes free for the next launch of the plugin; the
    /// tasks that are not continued keep the deadline of the budget.
    private mutating func moveToContinuedLane(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.find(number), launch.lane != .continued else { return }
        launches.move(number, to: .continued)
        endWork(of: launch.plugin, in: launch.lane)
        beginWork(of: launch.plugin, in: .continued)
        if launch.lane == .background, let execution = launch.execution {
            rest(launch.plugin, at: now)
            // From now on, as the cooldown: a background task that still runs ends with the budget, but the continued
            // task may run for hours.
            let kinds = execution.tasks.map(\.work).ownKinds
            plugins[launch.plugin].record.noteOwn(kinds, cause: execution.plan.cause, at: now.wall)
        }
        leaveLane(launch.lane, launch, at: now)
    }
}

extension PluginState {
    /// A reference to the stored request `number`; nil when the request is not a member of the group.
    func member(_ number: SubmissionNumber, of group: UInt16) -> RequestPlace? {
        let members = requests.groups[group].members
        let index = members.index(after: number) - 1
        return index >= 0 && members[index].number == number ? members[index] : nil
    }

    /// A reference to the oldest member of the group with a number above `number`, or to the oldest of all when
    /// `number` is nil; nil when there is none.
    func member(after number: SubmissionNumber?, of group: UInt16) -> RequestPlace? {
        let members = requests.groups[group].members
        let index = number.map { members.index(after: $0) } ?? 0
        return index < members.count ? members[index] : nil
    }
}
