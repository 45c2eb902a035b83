// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// Sees all that goes into a host and comes out of it, in order.
protocol Witness: AnyObject {
    func willHandle(_ event: SchedulerEvent)
    func didDecide(_ event: SchedulerEvent, _ actions: [SchedulerAction])
    /// These are on disk now.
    func didWrite(_ changes: [LedgerChange])
    /// Nothing more follows from what was handed in.
    func didSettle()
    /// The host died and is back; it knows what is on disk and nothing else.
    func didRestart()
}
