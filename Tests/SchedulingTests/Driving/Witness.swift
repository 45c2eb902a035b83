// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// An observer of all events and actions of a scheduler, in order.
protocol Witness: AnyObject {
    func willHandle(_ event: SchedulerEvent)
    func didDecide(_ event: SchedulerEvent, _ actions: [SchedulerAction])
    /// Called after the changes were written to the ledger.
    func didWrite(_ changes: [LedgerChange])
    /// Called when the sent events and all that follow from them are handled.
    func didSettle()
    /// Called after the host died and started again from the ledger.
    func didRestart()
}
