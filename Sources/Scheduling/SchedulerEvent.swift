// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Something that happened outside; the scheduler learns of nothing else.
package enum SchedulerEvent: Hashable, Sendable {
    // What callers ask.
    case submitted(Submission, reply: ReplyToken)
    case triggered(Trigger, reply: ReplyToken)
    /// From a launch of the plugin; without one, from a caller.
    case cancelRequested(TaskIdentifier, of: PluginIdentifier?, from: LaunchNumber? = nil, reply: ReplyToken)
    case cancelAllRequested(of: PluginIdentifier, from: LaunchNumber? = nil, reply: ReplyToken)
    case launchSimulated([TaskIdentifier], reply: ReplyToken)
    case expirationSimulated(TaskIdentifier, reply: ReplyToken)
    /// A person wants a running task to stop, or a continued one that waits to be given up.
    case taskStopRequested(TaskIdentifier, reply: ReplyToken)
    case purgeRequested(PluginIdentifier, reply: ReplyToken)
    /// One of the events above, caused by a user's call: its journal entries name the user.
    indirect case byUser(CallingUser, SchedulerEvent)

    // What the ledger did.
    case committed(Ticket)
    case commitFailed(Ticket, message: String)
    /// The pending work of a plugin, as it was asked for by `load`.
    case loaded(PluginWork)
    case notLoaded(PluginIdentifier, message: String)

    // What the world is like.
    /// The manifests changed; the first time the change is from an empty catalogue.
    case catalogued(CatalogueChange)
    case conditionsChanged(Conditions)
    /// The machine was suspended and goes on.
    case resumed
    case timerFired
    case stopRequested

    // What became of a launch.
    case runnerReady(LaunchNumber, RunnerProcess)
    case runnerUnavailable(LaunchNumber, message: String)
    /// The plan was asked for and could not be handed over; nothing of the plugin ran.
    case planNotSent(LaunchNumber, message: String)
    case entered(LaunchNumber, status: Int32, registered: [PermittedIdentifier], offersReceive: Bool)
    case loadFailed(LaunchNumber, message: String)
    /// A continued identifier, or a pattern, registered after entry.
    case registered(LaunchNumber, PermittedIdentifier)
    case progressed(LaunchNumber, TaskID, TaskProgress)
    /// Legacy fetch: the interval that the plugin asks for, nil for never.
    case fetchIntervalSet(LaunchNumber, Duration?)
    case completed(LaunchNumber, TaskID, CompletionOutcome)
    /// A bound function returned, and this is what the journal has of it.
    case returned(LaunchNumber, TaskID, CompletionOutcome, text: String)
    case expirationHandlerChanged(LaunchNumber, TaskID, isSet: Bool)
    case runnerExpired(LaunchNumber, [TaskID], ExpirationReason)
    case assertionBegan(LaunchNumber, AssertionID, name: String)
    case assertionEnded(LaunchNumber, AssertionID)
    case violated(LaunchNumber, rule: String, message: String)
    /// The launch thread has killed the launch at its kill time. What the runner had sent before was handled before.
    case killedAtDeadline(LaunchNumber)
    case runnerEnded(LaunchNumber, ProcessTermination, LastWords?)
}

/// A request on its way in.
package struct Submission: Hashable, Sendable {
    package let request: TaskRequest
    package let payload: [UInt8]
    package let submitter: Submitter
    /// The launch that a plugin submits from.
    package let launch: LaunchNumber?

    package init(request: TaskRequest, payload: [UInt8] = [], submitter: Submitter, launch: LaunchNumber? = nil) {
        self.request = request
        self.payload = payload
        self.submitter = submitter
        self.launch = launch
    }
}

/// An event for an extension on its way in.
package struct Trigger: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let payload: [UInt8]

    package init(plugin: PluginIdentifier, payload: [UInt8] = []) {
        self.plugin = plugin
        self.payload = payload
    }
}

/// Pairs a caller's question with its answer; chosen by the shell.
package struct ReplyToken: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Pairs a commit with its result; chosen by the scheduler, rising.
package struct Ticket: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
