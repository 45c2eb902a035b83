// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// One behaviour of this plugin: a typical form of code for Apple's platforms. The setting `part` selects it.
@MainActor
protocol Part {
    init()
    /// Makes the calls that an app makes when it is launched, such as registrations.
    func launch() throws
}

enum Parts {
    struct Missing: Error {
        let name: String
    }

    @MainActor
    static func chosen() throws -> any Part {
        let name = BackgroundPlugin.setting("part") ?? ""
        guard let type = all.first(where: { "\($0)" == name }) else { throw Missing(name: name) }
        let part = type.init()
        running = part
        return part
    }

    /// The part that runs. It exists as long as the process, like an app's delegate.
    @MainActor
    private static var running: (any Part)?

    @MainActor
    private static let all: [any Part.Type] = [
        OperationRefresh.self, TaskRefresh.self, DatabaseCleanup.self, ContinuedExport.self, ComposedExport.self,
        PendingListing.self, ErrorHandling.self, MainActorHandlers.self, AsyncHandlers.self, Assertions.self,
        Mistakes.self, LegacyFetch.self, ExtensionSubmission.self, CoordinatorShape.self, WrapperShape.self,
        OverloadShape.self, SubmitsAfterwards.self, ApplicationObject.self, QueueShapes.self, SubclassShape.self,
        ExpiringActivity.self, SingleCompletion.self, StoredTask.self, HandlerTable.self, SubmissionAtLaunch.self,
        SubmissionAnew.self, MonitoredSession.self, ActorScheduler.self, FreshnessCheck.self, QueuedWork.self,
        MainBundle.self, Study.self, RemainingItems.self,
    ]
}
