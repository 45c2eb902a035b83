// Part of bgtask, under the Apache License 2.0; see LICENSE.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import BackgroundTasks

/// Registration at launch, and a refresh as an operation on a queue that schedules the next refresh first.
final class OperationRefresh: Part {
    private let appDelegate = AppDelegate()

    func launch() { _ = appDelegate.application(didFinishLaunchingWithOptions: nil) }
}

private class AppDelegate: NSObject {
    let operationQueue = OperationQueue()

    func application(didFinishLaunchingWithOptions launchOptions: [String: Any]?) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh", using: nil) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        scheduleAppRefresh()
        return true
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.refresh")
        // Fetch no earlier than 15 minutes from now.
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        let operation = RefreshAppContentsOperation()
        task.expirationHandler = {
            operation.cancel()
        }
        operation.completionBlock = {
            task.setTaskCompleted(success: !operation.isCancelled)
        }
        operationQueue.addOperation(operation)
    }
}

private final class RefreshAppContentsOperation: Operation, @unchecked Sendable {
    override func main() {
        note("refreshing off the main thread: \(!Thread.isMainThread)")
        while isSlow && !isCancelled { Thread.sleep(forTimeInterval: 0.01) }
        note(isCancelled ? "cancelled" : "refreshed")
    }
}
