// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Scheduling
import TaskModel

/// The effect of one message of a runner, carried out by the decision loop.
enum RunnerVerdict: Hashable {
    case nothing
    case event(SchedulerEvent)
    /// A scheduler event that ends a task. The decision loop also drops the titles that the task has set.
    case taskEnded(TaskID, SchedulerEvent)
    /// A scheduler event about a changed library. The catalogue also reads its directories again, because their watch
    /// did not signal this change.
    case libraryChanged(SchedulerEvent)
    case title(TaskID, TaskTitles.Titles)
    /// A note that a task has written its cursor.
    case cursor(TaskID)
    /// A call of the plugin that is answered when the cursor of the task is stored.
    case checkpoint(CallNumber, TaskID, number: UInt64)
    /// A call of the plugin that the scheduler answers.
    case question(CallNumber, RunnerQuestion)
    /// The answer to a call of the plugin, sent at once.
    case answer(HostMessage)
    /// A call in which the plugin lists its pending requests, answered from the ledger.
    case pendingList(CallNumber, of: PluginIdentifier)
    /// A call of the plugin for its device token, or that ends the token.
    case pushToken(CallNumber, of: PluginIdentifier, isRegistration: Bool)
    /// A call, or a report, about transfers.
    case transfer(RunnerTransferMessage, of: PluginIdentifier)
    /// A line of the plugin's log, about one task or, with nil, about the launch.
    case log(LogLevel, of: TaskID?, String)
}

/// A message of a runner about transfers of its plugin.
enum RunnerTransferMessage: Hashable {
    case begin(CallNumber, TransferDescription, earliestBegin: WallTime?, expiresAt: WallTime?)
    case cancel(CallNumber, SubmissionNumber)
    /// A call for the transfers of a session; nil: of all sessions of the plugin.
    case list(CallNumber, of: TransferSession?)
    case taken(SubmissionNumber)
    /// The end of one try, in a launch of the lane `transfer`. The completion of the task follows.
    case ended(TaskID, TransferEnd)
}

extension TransferEnd {
    /// The end with a message that is safe to show: the transfer library took parts of it from a server.
    var bounded: TransferEnd {
        TransferEnd(
            result: result,
            fault: fault,
            httpStatus: httpStatus,
            retryAfter: retryAfter,
            bytes: bytes,
            total: total,
            sourceChanges: sourceChanges,
            restarts: restarts,
            message: message.bounded(toBytes: Self.longestMessage).terminalSafe.bounded(toBytes: Self.longestMessage)
        )
    }
}

/// A call of the plugin that needs a decision of the scheduler.
enum RunnerQuestion: Hashable {
    case submit(Submission)
    case cancel(TaskIdentifier, of: PluginIdentifier, from: LaunchNumber)
    case cancelAll(of: PluginIdentifier, from: LaunchNumber)

    func event(reply: ReplyToken) -> SchedulerEvent {
        switch self {
        case .submit(let submission): .submitted(submission, reply: reply)
        case .cancel(let identifier, let plugin, let launch):
            .cancelRequested(identifier, of: plugin, from: launch, reply: reply)
        case .cancelAll(let plugin, let launch): .cancelAllRequested(of: plugin, from: launch, reply: reply)
        }
    }
}
