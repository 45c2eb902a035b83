// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks
import Dispatch
import Foundation

// The form of apps and packages that put the scheduler behind a protocol, so that tests can replace it.

protocol BGTaskScheduling: Sendable {
    func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool
    func submit(_ taskRequest: BGTaskRequest) throws
    func cancel(taskRequestWithIdentifier identifier: String)
    func cancelAllTaskRequests()
    func pendingTaskRequests() async -> [BGTaskRequest]
}

extension BGTaskScheduler: BGTaskScheduling {}

protocol CompletableTask: AnyObject {
    var identifier: String { get }
    var expirationHandler: (() -> Void)? { get set }
    func setTaskCompleted(success: Bool)
}

extension BGTask: CompletableTask {}

@MainActor
protocol ContinuedTask: AnyObject {
    var progress: Progress { get }
    var expirationHandler: (() -> Void)? { get set }
    func updateTitle(_ title: String, subtitle: String)
}

extension BGContinuedProcessingTask: ContinuedTask {}

enum RefreshIdentifier: String, CaseIterable {
    case refresh = "com.example.colorfeed.refresh"
    case processing = "com.example.colorfeed.db-cleaning"
}

final class BackgroundCoordinator {
    private let scheduler: any BGTaskScheduling
    private var lastRun: [RefreshIdentifier: Date] = [:]
    private let lock = NSLock()

    init(scheduler: any BGTaskScheduling = BGTaskScheduler.shared) { self.scheduler = scheduler }

    func registerAll() {
        for identifier in RefreshIdentifier.allCases {
            let isRegistered = scheduler.register(forTaskWithIdentifier: identifier.rawValue, using: nil) {
                [weak self] task in
                guard let self else {
                    task.setTaskCompleted(success: false)
                    return
                }
                self.run(task)
            }
            if !isRegistered { note("\(identifier) was not registered") }
        }
    }

    private func run(_ task: any CompletableTask) {
        defer { schedule(after: 3600) }
        var isDone = false
        let finish = { [lock] (success: Bool) in
            lock.lock()
            defer { lock.unlock() }
            guard !isDone else { return }
            isDone = true
            task.setTaskCompleted(success: success)
        }
        task.expirationHandler = { finish(false) }
        lastRun[RefreshIdentifier(rawValue: task.identifier) ?? .refresh] = Date()
        note("coordinated \(task.identifier)")
        finish(true)
    }

    func schedule(after interval: TimeInterval) {
        let request = BGAppRefreshTaskRequest(identifier: RefreshIdentifier.refresh.rawValue)
        request.earliestBeginDate = Calendar.current.date(byAdding: .second, value: Int(interval), to: Date())
        do {
            try scheduler.submit(request)
        } catch let error as BGTaskScheduler.Error {
            handle(error)
        } catch {
            note(error.localizedDescription)
        }
    }

    private func handle(_ error: BGTaskScheduler.Error) {
        switch error.code {
        case .notPermitted: note("not permitted")
        case .tooManyPendingTaskRequests: note("too many")
        case .unavailable: note("unavailable")
        default: note("another")
        }
    }
}

final class CoordinatorShape: Part {
    private let coordinator = BackgroundCoordinator()

    func launch() { coordinator.registerAll() }
}
