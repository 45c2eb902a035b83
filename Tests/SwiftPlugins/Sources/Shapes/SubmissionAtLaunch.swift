// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

// The form of apps that submit at launch only if no request is pending, and that keep requests as values of their own.

private struct CleaningTerms: Equatable {
    var earliestBeginDate: Date?
    var requiresNetworkConnectivity = false
    var requiresExternalPower = false
}

extension CleaningTerms {
    init(_ request: BGProcessingTaskRequest) {
        self.init(
            earliestBeginDate: request.earliestBeginDate,
            requiresNetworkConnectivity: request.requiresNetworkConnectivity,
            requiresExternalPower: request.requiresExternalPower
        )
    }
}

extension BGProcessingTaskRequest {
    fileprivate convenience init(identifier: String, terms: CleaningTerms) {
        self.init(identifier: identifier)
        earliestBeginDate = terms.earliestBeginDate
        requiresNetworkConnectivity = terms.requiresNetworkConnectivity
        requiresExternalPower = terms.requiresExternalPower
    }
}

private enum CleaningSchedule {
    static let identifier = "com.example.colorfeed.db-cleaning"
    static var terms: CleaningTerms {
        CleaningTerms(earliestBeginDate: Date(timeIntervalSince1970: 4_000_000_000), requiresNetworkConnectivity: true)
    }

    static func submitIfAbsent() {
        BGTaskScheduler.shared.getPendingTaskRequests { requests in
            let known = requests.lazy
                .compactMap { $0 as? BGProcessingTaskRequest }
                .filter { $0.identifier == identifier }
                .first
                .map(CleaningTerms.init)
            if let known { return note("pending, unchanged: \(known == terms)") }
            note("absent")
            do {
                try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: identifier, terms: terms))
            } catch {
                note("not submitted: \(error)")
            }
        }
    }
}

/// A request that each launch submits only if none is pending.
final class SubmissionAtLaunch: Part {
    func launch() {
        for identifier in [CleaningSchedule.identifier, "com.example.colorfeed.report"] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                task.setTaskCompleted(success: true)
            }
        }
        CleaningSchedule.submitIfAbsent()
    }
}
