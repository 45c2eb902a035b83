// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks
import Foundation

// The form of packages that wrap tasks in values of their own.

struct BackgroundTaskHandle {
    private let task: BGTask

    init(_ task: BGTask) { self.task = task }

    var identifier: String { task.identifier }

    var expirationHandler: (@Sendable () -> Void)? {
        get { unsafeBitCast(task.expirationHandler, to: (@Sendable () -> Void)?.self) }
        nonmutating set { task.expirationHandler = newValue }
    }

    func setTaskCompleted(success: Bool) { task.setTaskCompleted(success: success) }
}

@available(iOS 13, tvOS 13, *)
public final class TaskRunner: @unchecked Sendable {
    public static let shared = TaskRunner()

    private let queue = DispatchQueue(label: "com.example.colorfeed.runner", qos: .utility)
    private var registered = Set<String>()

    func register(_ identifier: String, work: @escaping @Sendable () async throws -> Void) {
        guard registered.insert(identifier).inserted else { return }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: identifier,
            using: queue,
            launchHandler: { task in
                let handle = BackgroundTaskHandle(task)
                let running = Task(priority: .utility) {
                    do {
                        try await work()
                        task.setTaskCompleted(success: true)
                    } catch {
                        task.setTaskCompleted(success: false)
                    }
                }
                handle.expirationHandler = { running.cancel() }
            }
        )
    }

    @discardableResult
    func submit(_ identifier: String, power: Bool = false, network: Bool = false) -> Bool {
        let request = BGProcessingTaskRequest(identifier: identifier)
        request.requiresExternalPower = power
        request.requiresNetworkConnectivity = network
        if #available(iOS 17, *) { request.earliestBeginDate = .now }
        do {
            try BGTaskScheduler.shared.submit(request)
            return true
        } catch let error {
            let errorCode = (error as NSError).code
            switch errorCode {
            case BGTaskScheduler.Error.Code.notPermitted.rawValue: note("not permitted")
            case BGTaskScheduler.Error.Code.tooManyPendingTaskRequests.rawValue: note("too many")
            case BGTaskScheduler.Error.Code.unavailable.rawValue: note("unavailable")
            default: note("another")
            }
            return false
        }
    }

    func submitAll(_ requests: [BGTaskRequest]) async -> [Result<String, any Error>] {
        await withTaskGroup(of: Result<String, any Error>.self) { group in
            for request in requests {
                group.addTask {
                    do {
                        try await BGTaskScheduler.shared.submitTaskRequest(request)
                        return .success(request.identifier)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

func updateCalendar(task: BGTask) {
    note("by name: \(task.identifier)")
    task.setTaskCompleted(success: true)
}

final class WrapperShape: Part {
    func launch() {
        TaskRunner.shared.register("com.example.colorfeed.db-cleaning") { note("wrapped") }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.refresh",
            using: nil,
            launchHandler: updateCalendar
        )
    }
}
