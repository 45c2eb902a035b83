// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks

// The form of apps that extend the scheduler with a registration for job types of their own.

public protocol BackgroundJob {
    var identifier: String { get }
    func setTaskCompleted(success: Bool)
}

extension BGTask: BackgroundJob {}

public protocol BackgroundJobScheduling {
    func submit(_ taskRequest: BGTaskRequest) throws

    @discardableResult
    func registerHandler(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BackgroundJob) -> Void
    ) -> Bool

    func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void)
    func cancel(taskRequestWithIdentifier identifier: String)
}

extension BGTaskScheduler: BackgroundJobScheduling {
    @discardableResult
    public func registerHandler(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BackgroundJob) -> Void
    ) -> Bool {
        register(forTaskWithIdentifier: identifier, using: queue) { (task: BGTask) in
            launchHandler(task)
        }
    }
}

final class OverloadShape: Part {
    func launch() {
        let scheduler: BackgroundJobScheduling = BGTaskScheduler.shared
        scheduler.registerHandler(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: .global()) { job in
            note("a job: \(job.identifier)")
            job.setTaskCompleted(success: true)
        }
    }
}
