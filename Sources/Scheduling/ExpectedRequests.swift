// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A plugin's pending requests as they will be once every commit under way has succeeded.
///
/// Limits are judged by them, and by what would still be pending should a commit fail: nobody can know which it will be.
struct ExpectedRequests: Sendable {
    private var requests: [TaskIdentifier: PendingRequest] = [:]
    private var counts: [TaskKind: Int] = [:]
    /// Replaced, cancelled or launched by a commit under way: until that has succeeded they are pending.
    private var leaving: [PendingRequest] = []

    subscript(identifier: TaskIdentifier) -> PendingRequest? { requests[identifier] }

    var all: Dictionary<TaskIdentifier, PendingRequest>.Values { requests.values }

    /// How many there may be that count against the kind's limit, `identifier` itself left out: a replacement does not add to them (statement 23).
    func count(of kind: TaskKind, beside identifier: TaskIdentifier) -> Int {
        let kind = kind.countedAs
        let staying = (counts[kind] ?? 0) - (requests[identifier]?.request.kind.countedAs == kind ? 1 : 0)
        if leaving.isEmpty { return staying }
        let names = leaving.map(\.request).filter { $0.kind.countedAs == kind && $0.identifier != identifier }
            .map(\.identifier)
        return staying + Set(names).count { requests[$0]?.request.kind.countedAs != kind }
    }

    mutating func set(_ request: PendingRequest) {
        remove(request.request.identifier)
        requests[request.request.identifier] = request
        counts[request.request.kind.countedAs, default: 0] += 1
    }

    mutating func remove(_ identifier: TaskIdentifier, number: SubmissionNumber? = nil) {
        guard let old = requests[identifier], number == nil || old.number == number else { return }
        requests[identifier] = nil
        counts[old.request.kind.countedAs, default: 0] -= 1
        leaving.append(old)
    }

    /// The commit has succeeded: of that identifier, nothing older than `number` is pending any more.
    mutating func settle(_ identifier: TaskIdentifier, before number: SubmissionNumber) {
        leaving.removeAll { $0.request.identifier == identifier && $0.number < number }
    }

    /// The commit has succeeded: that one is no longer pending, nor is what it once replaced.
    mutating func settle(_ identifier: TaskIdentifier, through number: SubmissionNumber) {
        leaving.removeAll { $0.request.identifier == identifier && $0.number <= number }
    }
}
