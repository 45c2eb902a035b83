// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The label of a task or an event, encoded under one of two keys: the `identifier` of a task, or the `event_name` of
/// an event.
///
/// The label itself shows which one it is, because the name of an event is not a valid task identifier.
struct WorkLabel {
    let identifier: String?
    let eventName: String?

    init(_ label: String?) {
        let isIdentifier = label.map { TaskIdentifier($0) != nil } ?? false
        (identifier, eventName) = isIdentifier ? (label, nil) : (nil, label)
    }
}
