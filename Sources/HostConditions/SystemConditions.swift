// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
package import TaskModel

/// The present conditions of this machine, measured by sensors. The operator and users can override measured values. It
/// makes no decisions about tasks.
///
/// One thread waits for all sensors. The kernel reports changes of external power, network, memory and graphics
/// devices: these conditions are always known and cost nothing. Idleness, load, heat, low battery, the power saver,
/// a metered network and the locks of containers are read only while they are watched.
package final class SystemConditions: Sendable {
    private let board: ConditionsBoard

    /// Starts the sensors and takes the first readings, so that `report` is valid. Throws when a descriptor or the
    /// thread cannot be created.
    ///
    /// - Parameters:
    ///   - configured: conditions that the operator fixed for the lifetime of the host.
    ///   - onEvent: called on the sensors' thread, or on the thread that calls `script`, one call at a time. It must
    ///     not block, and must not call this object.
    package init(
        roots: SystemRoots = SystemRoots(),
        thresholds: ConditionThresholds = ConditionThresholds(),
        configured: ScriptedConditions = ScriptedConditions(),
        launchUsage: LaunchUsage,
        onEvent: @escaping @Sendable (ConditionsEvent) -> Void
    ) throws(ConditionsError) {
        do throws(SystemError) {
            let wakeChannel = Descriptor(owning: try SystemError.check(bgl_eventfd_create(), "create an eventfd"))
            let loop = try ConditionsLoop(roots, thresholds, launchUsage, wokenBy: wakeChannel)
            let board = ConditionsBoard(
                loop.readings,
                configured: configured,
                wakeChannel: wakeChannel,
                onEvent: onEvent
            )
            self.board = board
            let status = DetachedThread.start("conditions") { loop.run(board) }
            try SystemError.check(status, "start the thread that samples the conditions")
        } catch {
            let remedy =
                switch error.number {
                case EMFILE, ENFILE:
                    "; raise the host's limit of open files (RLIMIT_NOFILE) or fs.file-max of the machine"
                case EAGAIN: "; raise the limits of processes of the host's user (RLIMIT_NPROC) and service (TasksMax=)"
                default: ""
                }
            throw ConditionsError(message: "cannot watch the machine's conditions: \(error)\(remedy)")
        }
    }

    deinit { board.close(nil) }

    package var report: ConditionsReport { board.report }

    /// Samples these conditions and containers from now on, and no others. Conditions that the kernel reports are
    /// always known. Conditions that the operator fixed are never sampled.
    package func watch(_ conditions: Set<Condition>, containers: WatchedContainers = .none) {
        board.watch(.init(conditions: conditions.intersection(Condition.sampled), containers: containers))
    }

    /// Changes a user's overrides in one step, and returns the report with the new overrides in force.
    package func script(_ change: (inout ScriptedConditions) -> Void) -> ConditionsReport { board.script(change) }

    /// The report as it would be after a change of a user's overrides. Changes nothing.
    package func report(changing change: (inout ScriptedConditions) -> Void) -> ConditionsReport {
        board.report(changing: change)
    }

    /// Stops the sensors, and returns when they can deliver no more events.
    package func close() async { await withCheckedContinuation { board.close($0) } }
}
