// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The launches whose end is not recorded yet, with the number of running and of stopping launches in each lane.
///
/// `update` requires a launch in the table, and `execute` one with an execution: any other number traps in debug
/// builds.
struct LaunchTable: Sendable {
    private var launches: [LaunchNumber: ScheduledLaunch] = [:]
    private var uses: [Lane: LaneUse] = [:]
    private var byPlugin: [PluginIdentifier: Set<LaunchNumber>] = [:]
    /// By task identifier, the numbers of the launches with an unfinished or arriving task.
    private var byIdentifier: [TaskIdentifier: Set<LaunchNumber>] = [:]
    /// Launches outside of the continued lane to which a continued task is being delivered.
    private var moving: Set<LaunchNumber> = []
    /// Launches that were stopped because their tasks and assertions had ended.
    private var stopping: Set<LaunchNumber> = []

    var isEmpty: Bool { launches.isEmpty }
    var numbers: [LaunchNumber] { launches.keys.sorted() }
    var values: Dictionary<LaunchNumber, ScheduledLaunch>.Values { launches.values }

    /// A copy of the launch; nil for an unknown number. Changes to the copy do not affect the table.
    func find(_ number: LaunchNumber) -> ScheduledLaunch? { launches[number] }

    /// The execution of a launch whose runner's messages count (BGT-ABI-09); nil for any other launch.
    func listening(_ number: LaunchNumber) -> Execution? {
        guard case .running(let execution)? = launches[number]?.phase, execution.isListening else { return nil }
        return execution
    }

    /// The launches that count against the limit of the lane. A launch that moves to the continued lane counts in both
    /// lanes.
    func use(of lane: Lane) -> LaneUse {
        var use = uses[lane] ?? LaneUse()
        if lane == .continued { use.running += moving.count }
        return use
    }

    /// Whether the launch was stopped because its tasks and assertions had ended.
    func isStopping(_ number: LaunchNumber) -> Bool { stopping.contains(number) }

    func hasLaunches(of plugin: PluginIdentifier) -> Bool { byPlugin[plugin] != nil }
    func numbers(of plugin: PluginIdentifier) -> [LaunchNumber] { byPlugin[plugin]?.sorted() ?? [] }

    /// Launches with an unfinished or arriving task of that identifier, oldest first.
    func numbers(running identifier: TaskIdentifier) -> [LaunchNumber] { byIdentifier[identifier]?.sorted() ?? [] }

    @discardableResult
    mutating func update<Result>(_ number: LaunchNumber, _ body: (inout ScheduledLaunch) -> Result) -> Result? {
        guard let index = launches.index(forKey: number) else {
            assertionFailure("launch \(number) is not known")
            return nil
        }
        return body(&launches.values[index])
    }

    /// Changes the execution of a launch in place, and returns the result of `body`; nil without an execution.
    @discardableResult
    mutating func execute<Result>(_ number: LaunchNumber, _ body: (inout Execution) -> Result) -> Result? {
        let result = update(number) { $0.withExecution(body) }
        assert(result ?? nil != nil, "launch \(number) runs nothing")
        return result ?? nil
    }

    mutating func add(_ launch: ScheduledLaunch) {
        launches[launch.number] = launch
        uses[launch.lane, default: LaneUse()].running += 1
        byPlugin[launch.plugin, default: []].insert(launch.number)
    }

    @discardableResult
    mutating func remove(_ number: LaunchNumber) -> ScheduledLaunch? {
        guard let launch = launches.removeValue(forKey: number) else { return nil }
        if stopping.remove(number) != nil {
            uses[launch.lane]?.stopping -= 1
        } else {
            uses[launch.lane]?.running -= 1
        }
        moving.remove(number)
        byPlugin[launch.plugin]?.remove(number)
        if byPlugin[launch.plugin]?.isEmpty == true { byPlugin[launch.plugin] = nil }
        return launch
    }

    /// Counts the launch as stopping until it is removed.
    mutating func setStopping(_ number: LaunchNumber) {
        guard let lane = launches[number]?.lane, stopping.insert(number).inserted else { return }
        uses[lane]?.running -= 1
        uses[lane]?.stopping += 1
    }

    /// Moves a running launch to another lane, whose capacity the launch uses from then on.
    mutating func move(_ number: LaunchNumber, to lane: Lane) {
        guard let old = launches[number]?.lane, old != lane, !isStopping(number) else { return }
        uses[old]?.running -= 1
        uses[lane, default: LaneUse()].running += 1
        launches[number]?.lane = lane
        moving.remove(number)
    }

    mutating func setMoving(_ isMoving: Bool, _ number: LaunchNumber) {
        if isMoving { moving.insert(number) } else { moving.remove(number) }
    }

    mutating func begin(_ identifier: TaskIdentifier?, in number: LaunchNumber) {
        guard let identifier else { return }
        byIdentifier[identifier, default: []].insert(number)
    }

    mutating func end(_ identifier: TaskIdentifier?, in number: LaunchNumber) {
        guard let identifier else { return }
        byIdentifier[identifier]?.remove(number)
        if byIdentifier[identifier]?.isEmpty == true { byIdentifier[identifier] = nil }
    }
}
