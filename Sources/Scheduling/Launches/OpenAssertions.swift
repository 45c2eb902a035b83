// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The assertions that keep a launch open after its last task. Bounded, whatever its runner claims.
struct OpenAssertions: Sendable {
    private var open: [(id: AssertionID, name: String)] = []
    /// Ended or not: ids rise, so that none comes twice.
    private var newest: AssertionID?
    /// Set once, when nothing of the launch may go on.
    var expiration: (reason: ExpirationReason, killAt: MonotonicTime)?

    var isEmpty: Bool { open.isEmpty }
    /// In the order of their begin.
    var names: [String] { open.map(\.name) }
    /// When those that were told to end and have not are overdue.
    var killAt: MonotonicTime? { isEmpty ? nil : expiration?.killAt }

    /// - Returns: what is wrong with it; nil when it is open now.
    mutating func begin(_ id: AssertionID, named name: String, in launch: LaunchNumber) -> String? {
        guard id.belongs(to: launch), newest.map({ $0 < id }) ?? true else {
            return "began assertion \(id), whose number is not new in launch \(launch)"
        }
        newest = id
        guard name.utf8.count <= AssertionID.nameLimit else {
            return "began assertion \(id) with a name of \(name.utf8.count) bytes;"
                + " at most \(AssertionID.nameLimit) are allowed"
        }
        guard open.count < AssertionID.openLimit else {
            return "began assertion \(id) with \(open.count) open; at most \(AssertionID.openLimit) are allowed,"
                + " end one first"
        }
        open.append((id, name))
        return nil
    }

    /// - Returns: whether it was open.
    mutating func end(_ id: AssertionID) -> Bool {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return false }
        open.remove(at: index)
        return true
    }

    /// Those that are open, for a message.
    var account: String {
        let shown = 5
        let listed = names.prefix(shown).map { "\"\($0)\"" }.joined(separator: ", ")
        let rest = open.count > shown ? " and \(open.count - shown) more" : ""
        return (open.count == 1 ? "assertion " : "assertions ") + listed + rest
    }
}
