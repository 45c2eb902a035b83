// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The submissions of one list, which takes several turns of the decision loop with decisions in between. Work that
/// moves between two turns is in the list once: a request that starts before its turn is a running task, and a running
/// task that is requeued stays one.
struct TaskListTurns {
    private var listed: Set<SubmissionNumber> = []

    /// Adds the items of a turn, and returns those that were not in the list.
    mutating func add<Item>(_ items: [Item], _ number: (Item) -> SubmissionNumber) -> [Item] {
        items.filter { listed.insert(number($0)).inserted }
    }
}
