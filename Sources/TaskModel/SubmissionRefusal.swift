// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rejection of a submission or trigger: one of the four error codes of Apple's BackgroundTasks, the host's
/// sub-reason and a message (C14).
package struct SubmissionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error codes, with the numbers of Apple's BackgroundTasks.
    package enum Code: Int32, Hashable, Sendable, CaseIterable {
        case unavailable = 1
        case tooManyPendingTaskRequests = 2
        case notPermitted = 3
        case immediateRunIneligible = 4

        package var name: String {
            switch self {
            case .unavailable: "unavailable"
            case .tooManyPendingTaskRequests: "too-many-pending"
            case .notPermitted: "not-permitted"
            case .immediateRunIneligible: "immediate-run-ineligible"
            }
        }
    }

    /// The host's sub-reasons, with the ABI's `BGT_REASON_...` numbers.
    package enum SubReason: UInt32, Hashable, Sendable, CaseIterable {
        case notOffered = 1
        case backgroundRefreshOff = 2
        case pluginDisabled = 3
        case notRecorded = 4
        case hostStopping = 5
        case submitterMayNotSchedule = 6
        case pluginMissing = 7
        case refreshLimit = 10
        case processingLimit = 11
        case continuedLimit = 12
        case eventLimit = 13
        case transferLimit = 14
        case alertLimit = 15
        case identifierNotPermitted = 20
        case fetchModeMissing = 21
        case processingModeMissing = 22
        case notInForeground = 23
        case resourcesUnsupported = 24
        case entitlementMissing = 25
        case backgroundDenied = 26
        case notItsMainPlugin = 27
        case notAnExtension = 28
        case remoteNotificationModeMissing = 29
        case noCapacityNow = 30
        case deadlinePassed = 31
        case networkNotGranted = 32
        case transferLibraryMissing = 33

        package var name: String {
            switch self {
            case .notOffered: "not-offered"
            case .backgroundRefreshOff: "background-refresh-off"
            case .pluginDisabled: "plugin-disabled"
            case .notRecorded: "not-recorded"
            case .hostStopping: "host-stopping"
            case .submitterMayNotSchedule: "submitter-may-not-schedule"
            case .pluginMissing: "plugin-missing"
            case .refreshLimit: "refresh-limit"
            case .processingLimit: "processing-limit"
            case .continuedLimit: "continued-limit"
            case .eventLimit: "event-limit"
            case .transferLimit: "transfer-limit"
            case .alertLimit: "alert-limit"
            case .identifierNotPermitted: "identifier-not-permitted"
            case .fetchModeMissing: "mode-fetch-missing"
            case .processingModeMissing: "mode-processing-missing"
            case .notInForeground: "not-in-foreground"
            case .resourcesUnsupported: "resources-unsupported"
            case .entitlementMissing: "entitlement-missing"
            case .backgroundDenied: "background-denied"
            case .notItsMainPlugin: "not-its-main-plugin"
            case .notAnExtension: "not-an-extension"
            case .remoteNotificationModeMissing: "mode-remote-notification-missing"
            case .noCapacityNow: "no-capacity-now"
            case .deadlinePassed: "deadline-passed"
            case .networkNotGranted: "network-not-granted"
            case .transferLibraryMissing: "transfer-library-missing"
            }
        }
    }

    package let code: Code
    package let subReason: SubReason
    /// Message that names the request or trigger, the rejected value, the rule and the remedy.
    package let message: String

    package init(code: Code, subReason: SubReason, message: String) {
        self.code = code
        self.subReason = subReason
        self.message = message
    }

    /// The refusal of a call to a host that is stopping.
    package static func hostStopping(remedy: String = "try again after the host's restart") -> SubmissionRefusal {
        SubmissionRefusal(code: .unavailable, subReason: .hostStopping, message: "the host is stopping; \(remedy)")
    }

    package var description: String { "\(code.name) (\(subReason.name)): \(message)" }
}
