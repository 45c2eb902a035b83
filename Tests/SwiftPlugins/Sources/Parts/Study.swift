// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Health research: submits a request for the study's data at launch, and lists it while its task runs.
final class Study: Part {
    nonisolated private static let identifier = "com.example.colorfeed.report"

    func launch() throws {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: nil) { task in
            // A health research task is a processing task too.
            note("\(type(of: task)), processing \(task is BGProcessingTask), identifier \(task.identifier)")
            BGTaskScheduler.shared.getPendingTaskRequests { requests in
                for case let study as BGHealthResearchTaskRequest in requests {
                    note("pending study, protection \(study.protectionTypeOfRequiredData)")
                }
                task.setTaskCompleted(success: task is BGHealthResearchTask)
            }
        }
        let request = BGHealthResearchTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = Date(timeIntervalSince1970: 4_000_000_000)
        request.requiresExternalPower = true
        request.protectionTypeOfRequiredData = NSString(string: FileProtectionType.complete.rawValue)
        try BGTaskScheduler.shared.submit(request)
    }
}
