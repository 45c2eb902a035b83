// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A plugin's pending requests as they will be once every commit under way has succeeded. Limits are judged by it.
struct ExpectedRequests: Sendable {
    private var requests: [TaskIdentifier: PendingRequest] = [:]
    private var counts: [TaskKind: Int] = [:]

    subscript(identifier: TaskIdentifier) -> PendingRequest? { requests[identifier] }

    var all: Dictionary<TaskIdentifier, PendingRequest>.Values { requests.values }

    /// How many of a kind there are, `identifier` itself left out: a replacement does not add to them (statement 23).
    func count(of kind: TaskKind, beside identifier: TaskIdentifier) -> Int {
        (counts[kind] ?? 0) - (requests[identifier]?.request.kind == kind ? 1 : 0)
    }

    mutating func set(_ request: PendingRequest) {
        remove(request.request.identifier)
        requests[request.request.identifier] = request
        counts[request.request.kind, default: 0] += 1
    }

    mutating func remove(_ identifier: TaskIdentifier, number: SubmissionNumber? = nil) {
        guard let old = requests[identifier], number == nil || old.number == number else { return }
        requests[identifier] = nil
        counts[old.request.kind, default: 0] -= 1
    }
}
