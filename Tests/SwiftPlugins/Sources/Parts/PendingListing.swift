// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Lists pending requests, changes the listed copies, and replaces and cancels requests.
final class PendingListing: Part {
    nonisolated private static let refresh = "com.example.colorfeed.refresh"
    nonisolated private static let cleaning = "com.example.colorfeed.db-cleaning"

    func launch() throws {
        for identifier in [Self.refresh, Self.cleaning, "com.example.colorfeed.report"] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                Task { await Self.look(task) }
            }
        }
    }

    nonisolated static func look(_ task: BGTask) async {
        do {
            let scheduler = BGTaskScheduler.shared
            for request in await scheduler.pendingTaskRequests() { note("from elsewhere \(describe(request))") }
            let refreshRequest = BGAppRefreshTaskRequest(identifier: Self.refresh)
            refreshRequest.earliestBeginDate = Date(timeIntervalSince1970: 4_000_000_000)
            refreshRequest.payload = Data("colours".utf8)
            try await scheduler.submitTaskRequest(refreshRequest)
            // The request was copied when it was submitted.
            refreshRequest.earliestBeginDate = nil
            let processing = BGProcessingTaskRequest(identifier: Self.cleaning)
            processing.requiresExternalPower = true
            processing.earliestBeginDate = Date(timeIntervalSince1970: 4_000_000_000)
            try scheduler.submit(processing)

            let listed = await scheduler.pendingTaskRequests()
            for request in listed { note("pending \(describe(request))") }
            // Also a copy: its changes have no effect.
            listed.first?.earliestBeginDate = nil
            let again = await scheduler.pendingTaskRequests()
            note("unchanged: \(again.map(describe) == listed.map(describe) ? "no" : "yes")")

            scheduler.cancel(taskRequestWithIdentifier: Self.refresh)
            scheduler.cancel(taskRequestWithIdentifier: "com.example.colorfeed.unknown")
            scheduler.getPendingTaskRequests { requests in
                note("after a cancellation: \(requests.map(\.identifier))")
                BGTaskScheduler.shared.cancelAllTaskRequests()
                BGTaskScheduler.shared.getPendingTaskRequests { requests in
                    note("after all: \(requests.count)")
                    task.setTaskCompleted(success: requests.isEmpty)
                }
            }
        } catch {
            note("\(error)")
            task.setTaskCompleted(success: false)
        }
    }

    nonisolated static func describe(_ request: BGTaskRequest) -> String {
        let date = request.earliestBeginDate.map { "\(Int($0.timeIntervalSince1970))" } ?? "none"
        let payload = request.payload.map { String(decoding: $0, as: UTF8.self) } ?? "none"
        if let continued = request as? BGContinuedProcessingTaskRequest {
            let terms = "\(continued.strategy.rawValue) \(continued.requiredResources.rawValue)"
            let titles = "\(continued.title), \(continued.subtitle)"
            return "\(type(of: request)) \(request.identifier) \(titles) \(terms) \(payload)"
        }
        let power = (request as? BGProcessingTaskRequest)?.requiresExternalPower == true
        return "\(type(of: request)) \(request.identifier) \(date) \(payload) power \(power)"
    }
}
