// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The open assertions of a launch, which keep it open after its last task. Their number is limited, whatever the
/// runner reports.
struct OpenAssertions: Sendable {
    private var open: [(id: AssertionID, name: String)] = []
    /// The highest identifier of any assertion of the launch so far; nil before the first one. Identifiers rise, so a
    /// repeated identifier is invalid.
    private var newest: AssertionID?
    /// The reason for which the assertions were expired, with their kill time; nil before. Set once, when every task of
    /// the launch has ended or expired.
    var expiration: (reason: ExpirationReason, killTime: MonotonicTime)?

    var isEmpty: Bool { open.isEmpty }
    /// Names of the open assertions, in the order of their begin.
    var names: [String] { open.map(\.name) }
    /// The kill time for assertions that are still open after their expiration; nil when none is open or they were not
    /// expired.
    var killTime: MonotonicTime? { isEmpty ? nil : expiration?.killTime }

    /// Opens an assertion. Returns the problem of an invalid assertion; nil for a valid one.
    mutating func begin(_ id: AssertionID, named name: String, in launch: LaunchNumber) -> String? {
        guard id.belongs(to: launch), newest.map({ $0 < id }) ?? true else {
            return "began assertion \(id), whose number belongs to another launch than \(launch) or is not above the"
                + " numbers of the earlier assertions"
        }
        newest = id
        guard name.utf8.count <= AssertionID.nameLimit else {
            return "began assertion \(id) with a name of \(name.utf8.count) bytes;"
                + " at most \(AssertionID.nameLimit) are allowed"
        }
        guard open.count < AssertionID.openLimit else {
            return "began assertion \(id) while \(open.count) assertions were open;"
                + " at most \(AssertionID.openLimit) may be open"
        }
        open.append((id, name))
        return nil
    }

    /// Closes an assertion; returns whether it was open.
    mutating func end(_ id: AssertionID) -> Bool {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return false }
        open.remove(at: index)
        return true
    }

    /// A description of the open assertions for a message, with at most five names.
    var account: String {
        let shown = 5
        let listed = names.prefix(shown).map { "\"\($0)\"" }.joined(separator: ", ")
        let rest = open.count > shown ? " and \(open.count - shown) more" : ""
        return (open.count == 1 ? "assertion " : "assertions ") + listed + rest
    }
}
