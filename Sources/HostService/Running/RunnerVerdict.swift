// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Scheduling
import TaskModel

/// The effect of one message of a runner, carried out by the decision loop.
enum RunnerVerdict: Hashable {
    case nothing
    case event(SchedulerEvent)
    /// The event; in addition, the changed title of the task is dropped.
    case taskEnded(TaskID, SchedulerEvent)
    /// The event; in addition, the catalogue has to read its directories again, because it missed this change.
    case libraryChanged(SchedulerEvent)
    case title(TaskID, TitleBook.Titles)
    /// A call that the core answers.
    case question(CallNumber, RunnerQuestion)
    /// A call that is answered at once.
    case answer(HostMessage)
    /// A call that is answered at once with the plugin's pending requests.
    case pendingList(CallNumber, of: PluginIdentifier)
    case log(LogLevel, String)
}

/// A plugin's call that waits for a decision of the core.
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
