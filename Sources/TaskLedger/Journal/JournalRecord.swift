// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The rising number of a journal entry in one ledger, never reused.
package struct JournalNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A journal entry as read from the ledger. Its event is a name, because an older host may have recorded an event that
/// no longer exists.
package struct JournalRecord: Hashable, Sendable {
    package let number: JournalNumber
    package let at: WallTime
    package let event: String
    /// The plugin that the entry is about; nil for an entry about the host.
    package let plugin: PluginIdentifier?
    package let launch: LaunchNumber?
    /// The task identifier, or the name of an event; nil for an entry about a whole launch, a plugin or
    /// the host.
    package let label: String?
    package let submission: SubmissionNumber?
    package let blame: Blame
    package let message: String
    package let successor: SubmissionNumber?
    package let count: Int?
    package let user: CallingUser?
    /// The claim of the submission; nil for a submission without a claim, and in entries about other facts.
    package let claim: Claim?
    /// Whether the entry is about a running task that the host expired because the trust in its lease ended.
    package let isLeaseLost: Bool
}
