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
    /// A line of the plugin's log, about one task or, with nil, about the launch.
    case log(LogLevel, of: TaskID?, String)
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
