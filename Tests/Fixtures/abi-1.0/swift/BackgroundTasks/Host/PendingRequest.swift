// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import CBackgroundTasks
import Foundation

/// A pending request as listed by the host.
package struct PendingRequest {
    let identifier: String
    let submission: UInt64
    private let kind: UInt32
    private let flags: UInt32
    private let earliestBegin: Int64
    private let deadline: Int64
    private let title: String
    private let subtitle: String
    private let strategy: UInt32
    private let resources: UInt64
    private let payload: Data?

    init(_ pending: bgt_pending) {
        identifier = String(cString: pending.identifier)
        submission = pending.submission
        kind = pending.kind
        flags = pending.flags
        earliestBegin = pending.earliest_begin_ns
        deadline = pending.expires_at_ns
        title = pending.title.map { String(cString: $0) } ?? ""
        subtitle = pending.subtitle.map { String(cString: $0) } ?? ""
        strategy = pending.strategy
        resources = pending.resources
        payload = pending.payload.map { Data(bytes: $0, count: Int(clamping: pending.payload_length)) }
    }

    /// The request object for a listed request; nil for a kind of a newer host.
    package static func request(from pending: bgt_pending) -> BGTaskRequest? { PendingRequest(pending).request }

    /// Creates the request object for the kind; nil for a kind of a newer host that this module does not define.
    var request: BGTaskRequest? {
        let request: BGTaskRequest
        switch kind {
        case BGT_KIND_REFRESH: request = BGAppRefreshTaskRequest(identifier: identifier)
        case BGT_KIND_PROCESSING: request = BGProcessingTaskRequest(identifier: identifier)
        case BGT_KIND_HEALTH_RESEARCH: request = BGHealthResearchTaskRequest(identifier: identifier)
        case BGT_KIND_CONTINUED:
            request = continuedRequest
        default: return nil
        }
        request.payload = payload
        if earliestBegin != 0 { request.earliestBeginDate = Date(timeIntervalSince1970: Double(earliestBegin) / 1e9) }
        if deadline != 0 { request.startDeadline = Date(timeIntervalSince1970: Double(deadline) / 1e9) }
        if let processing = request as? BGProcessingTaskRequest {
            processing.requiresNetworkConnectivity = flags & BGT_NEEDS_NETWORK != 0
            processing.requiresExternalPower = flags & BGT_NEEDS_EXTERNAL_POWER != 0
        }
        if let study = request as? BGHealthResearchTaskRequest {
            let type = DataProtection.type(flags & BGTASK_PROTECTION_MASK)
            study.protectionTypeOfRequiredData = NSString(string: type.rawValue)
        }
        return request
    }

    private var continuedRequest: BGContinuedProcessingTaskRequest {
        let request = BGContinuedProcessingTaskRequest(identifier: identifier, title: title, subtitle: subtitle)
        request.strategy = strategy == BGT_STRATEGY_FAIL ? .fail : .queue
        request.requiredResources = resources & BGT_RESOURCE_GPU != 0 ? .gpu : .default
        return request
    }
}
