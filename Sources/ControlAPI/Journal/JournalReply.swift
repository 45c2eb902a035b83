// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/journal`: a range of journal entries, oldest first.
package struct JournalReply: Codable, Hashable, Sendable {
    package let entries: [JournalLine]
    /// Value of `after` for the next call. For a call with `after` whose answer reaches its limit, the number of the
    /// answer's last entry; otherwise the number of the journal's newest entry, and at least `after`.
    package let last: Int64

    package init(entries: [JournalLine], last: Int64) {
        self.entries = entries
        self.last = last
    }
}

/// One journal entry with its number; also one line of the stream.
package struct JournalLine: Codable, Hashable, Sendable {
    /// The rising number of the entry, never reused.
    package let number: Int64
    package let at: Timestamp
    private let atSecond: CalendarTime
    package let event: String
    /// The plugin that the entry is about; nil for an entry about the host.
    package let plugin: String?
    package let launch: Int64?
    /// The identifier of the task that the entry is about; nil when it is about no task.
    package let identifier: String?
    /// The name of the plugin event that the entry is about; nil when the entry is about no plugin event. The field
    /// `event` is something else: the kind of the entry.
    package let eventName: String?
    package let submission: Int64?
    package let blame: String
    package let message: String
    /// Number of the newer submission that replaced or superseded the submission of this entry; nil in entries about
    /// other facts.
    package let successor: Int64?
    /// Number of omitted journal lines in an entry that sums them up, or of tasks in an entry about a started launch.
    /// In an entry about a killed leftover process or about missing limits, the number of earlier occurrences without
    /// an entry of their own; nil for none. Nil in other entries.
    package let count: Int?
    /// The user whose call caused the entry; nil for other causes.
    package let user: User?
    /// The claim of the submission; nil for a submission without a claim, and in entries about other facts.
    package let claim: ClaimBody?
    /// True in an entry about a running task that the host expired because the trust in its lease ended; nil otherwise.
    package let leaseLost: Bool?

    package struct User: Codable, Hashable, Sendable {
        package let uid: UInt32
        package let pid: Int32
        /// The name of the calling program; nil when it could not be read, as after the end of the process.
        package let command: String?

        package init(_ user: CallingUser) { (uid, pid, command) = (user.uid, user.pid, user.command) }
    }

    package init(
        number: Int64,
        at: WallTime,
        event: String,
        plugin: PluginIdentifier?,
        launch: LaunchNumber?,
        task: String?,
        submission: SubmissionNumber?,
        blame: Blame,
        message: String,
        successor: SubmissionNumber? = nil,
        count: Int? = nil,
        user: CallingUser? = nil,
        claim: Claim? = nil,
        isLeaseLost: Bool = false
    ) {
        self.number = number
        self.at = Timestamp(at)
        atSecond = CalendarTime(secondOf: self.at)
        self.event = event
        self.plugin = plugin?.text
        self.launch = launch?.rawValue
        let label = WorkLabel(task)
        (identifier, eventName) = (label.identifier, label.eventName)
        self.submission = submission?.rawValue
        self.blame = blame.rawValue
        self.message = message
        self.successor = successor?.rawValue
        self.count = count
        self.user = user.map(User.init)
        self.claim = claim.map(ClaimBody.init)
        leaseLost = isLeaseLost ? true : nil
    }

    /// The task identifier, or the name of the plugin event; nil when the entry is about neither.
    package var task: String? { identifier ?? eventName }

    private enum CodingKeys: String, CodingKey {
        case number, event, plugin, launch, identifier, submission, blame, message, successor, count, user
        case claim
        case leaseLost = "lease_lost"
        case at = "at_ns"
        case atSecond = "at"
        case eventName = "event_name"
    }

    package init(number: Int64, _ entry: JournalEntry) {
        self.init(
            number: number,
            at: entry.at,
            event: entry.event.name,
            plugin: entry.plugin,
            launch: entry.launch,
            task: entry.label,
            submission: entry.submission,
            blame: entry.blame,
            message: entry.message,
            successor: entry.successor,
            count: entry.count,
            user: entry.user,
            claim: entry.claim,
            isLeaseLost: entry.isLeaseLost
        )
    }
}
