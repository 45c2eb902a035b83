// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Scheduling
import TaskModel

/// The effect of one message of a runner, for the decision loop to carry out.
enum RunnerVerdict: Hashable {
    case nothing
    case event(SchedulerEvent)
    /// The event, and the task has no title any more.
    case taskEnded(TaskID, SchedulerEvent)
    /// The event, and the catalogue has to read the directories again: no change of them was reported.
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
