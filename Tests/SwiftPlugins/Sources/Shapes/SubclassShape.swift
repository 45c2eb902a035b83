// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

// The conformances and subclasses of published apps and their tests.
extension BGTask: @retroactive @unchecked Sendable {}
extension BGAppRefreshTask: @retroactive @unchecked Sendable {}
extension BGProcessingTask: @retroactive @unchecked Sendable {}
extension BGTaskRequest: @retroactive @unchecked Sendable {}
extension BGTaskScheduler: @retroactive @unchecked Sendable {}

private final class PlayedTask: BGTask, @unchecked Sendable {
    var completions: [Bool] = []

    override var identifier: String { "played" }
    override var expirationHandler: (() -> Void)? {
        get { nil }
        set { newValue?() }
    }
    override func setTaskCompleted(success: Bool) { completions.append(success) }
}

private class FeedTask: BGAppRefreshTask, @unchecked Sendable {
    static let identifier = "com.example.colorfeed.refresh"

    static func register() -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
            note("a played task: \(task is PlayedTask), a refresh task: \(task is BGAppRefreshTask)")
            task.setTaskCompleted(success: true)
        }
    }
}

private final class PlayedScheduler: BGTaskScheduler, @unchecked Sendable {
    var submitted: [BGTaskRequest] = []

    override func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool { true }
    override func submit(_ taskRequest: BGTaskRequest) throws { submitted.append(taskRequest) }
    override func cancel(taskRequestWithIdentifier identifier: String) {}
    override func cancelAllTaskRequests() { submitted = [] }
    override func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        completionHandler(submitted)
    }
}

private class FeedRequest: BGProcessingTaskRequest, @unchecked Sendable {
    override var earliestBeginDate: Date? {
        get { super.earliestBeginDate ?? Date(timeIntervalSince1970: 4_000_000_000) }
        set { super.earliestBeginDate = newValue }
    }
    override var requiresExternalPower: Bool {
        get { true }
        set { super.requiresExternalPower = newValue }
    }
}

/// A launch whose code has subclasses of the module's classes.
final class SubclassShape: Part {
    func launch() throws {
        note("registered: \(FeedTask.register())")
        let report = "com.example.colorfeed.report"
        BGTaskScheduler.shared.register(forTaskWithIdentifier: report, using: nil) { task in
            task.setTaskCompleted(success: true)
        }
        let request = FeedRequest(identifier: report)
        try BGTaskScheduler.shared.submit(request)
        note("begins \(Int(request.earliestBeginDate?.timeIntervalSince1970 ?? 0))")
        do {
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.unknown"))
        } catch let error as BGTaskScheduler.Error {
            note("user info: \(error.userInfo.keys.sorted())")
        }
    }
}
