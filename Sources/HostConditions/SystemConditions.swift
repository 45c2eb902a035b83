// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
package import TaskModel

/// What this machine offers at the moment, from its kernel, under what the operator and a person say instead. Decides
/// nothing about tasks.
///
/// One thread waits for all sensors. What the kernel tells by itself (power, network, memory, mounts, devices) is known
/// always and costs nothing; what has to be sampled (idleness, load, heat, keys) is looked at only while it is watched.
package final class SystemConditions: Sendable {
    private let board: ConditionsBoard

    /// Returns after the first readings: `report` is right from then on.
    ///
    /// - Parameters:
    ///   - configured: what the operator fixed, as long as the host lives.
    ///   - onEvent: called on the sensors' thread, or on that of whoever scripts, one at a time. Must not block, and must
    ///     not call back.
    package init(
        roots: SystemRoots = SystemRoots(),
        thresholds: ConditionThresholds = ConditionThresholds(),
        configured: ScriptedConditions = ScriptedConditions(),
        launchUsage: LaunchUsage,
        onEvent: @escaping @Sendable (ConditionsEvent) -> Void
    ) throws(ConditionsError) {
        do throws(SystemError) {
            let bell = Descriptor(owning: try SystemError.check(bgl_bell_create(), "create an eventfd"))
            let loop = try ConditionsLoop(roots, thresholds, launchUsage, ringing: bell)
            let board = ConditionsBoard(loop.readings, configured: configured, bell: bell, onEvent: onEvent)
            self.board = board
            let status = DetachedThread.start("conditions") { loop.run(board) }
            try SystemError.check(status, "start the thread of the conditions")
        } catch {
            throw ConditionsError(message: "cannot watch the machine's conditions: \(error)")
        }
    }

    deinit { board.close(nil) }

    package var report: ConditionsReport { board.report }

    /// Looks at these from now on, and at nothing else that costs something.
    package func watch(_ conditions: Set<Condition>, containers: WatchedContainers = .none) {
        board.watch(.init(conditions: conditions.intersection(Condition.sampled), containers: containers))
    }

    /// Changes what a person says, all in one step, and returns what is in force with that.
    package func script(_ change: (inout ScriptedConditions) -> Void) -> ConditionsReport { board.script(change) }

    /// Returns when nothing will be told any more.
    package func close() async { await withCheckedContinuation { board.close($0) } }
}
