// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What a piece of work is called, under one of two keys: a task's `identifier`, or an event's `event_name`.
///
/// Identifiers are reverse-DNS and have a dot; the names of events have none.
struct WorkLabel {
    let identifier: String?
    let eventName: String?

    init(_ label: String?) {
        let isIdentifier = label.map { TaskIdentifier($0) != nil } ?? false
        (identifier, eventName) = isIdentifier ? (label, nil) : (nil, label)
    }
}
