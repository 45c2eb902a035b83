// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import BackgroundTasks
import CBackgroundTasks
import CBackgroundTasksTesting
import Foundation

// The calls of the plugin, as the host has recorded them.
extension TestHost {
    /// The accepted submissions, in their order, with replaced and cancelled ones.
    public var submissions: [BGTaskRequest] {
        (0..<bgtt_submission_count(host)).compactMap { bgtt_submission(host, $0) }
            .compactMap { PendingRequest.request(from: $0.pointee) }
    }

    /// The pending requests, in the order of their submission.
    public var pendingRequests: [BGTaskRequest] {
        (0..<bgtt_submission_count(host)).compactMap { bgtt_submission(host, $0) }
            .filter { bgtt_pending_request(host, $0.pointee.identifier)?.pointee.submission == $0.pointee.submission }
            .compactMap { PendingRequest.request(from: $0.pointee) }
    }

    /// The identifiers of the recorded cancellations, in their order; `*` for the cancellation of all requests.
    public var cancellations: [String] {
        (0..<bgtt_cancellation_count(host)).compactMap { text(bgtt_cancellation(host, $0)) }
    }

    /// Refuses the next submission, cancellation or list that is well-formed. Several refusals apply in turn.
    ///
    /// - Parameters:
    ///   - code: the code of the error that the submission throws.
    ///   - subReason: the sub-reason of the error.
    ///   - message: the description of the error.
    public func refuseNext(
        _ code: BGTaskScheduler.Error.Code,
        subReason: BGTaskScheduler.Error.SubReason = .none,
        message: String
    ) {
        let status =
            switch code {
            case .unavailable: BGT_UNAVAILABLE
            case .tooManyPendingTaskRequests: BGT_TOO_MANY_PENDING
            case .notPermitted: BGT_NOT_PERMITTED
            case .immediateRunIneligible: BGT_IMMEDIATE_RUN_INELIGIBLE
            @unknown default: BGT_UNAVAILABLE
            }
        bgtt_refuse_next(host, Int32(status), subReason.rawValue, message)
    }

    /// Sets the device token that the plugin's next registrations for pushes return.
    ///
    /// - Returns: false for a token without bytes, or with more than 64.
    @discardableResult
    public func setDeviceToken(_ token: Data) -> Bool {
        token.withUnsafeBytes { bgtt_set_push_token(host, $0.baseAddress, $0.count) }
    }

    /// The last content that the plugin set for a notification, as JSON; nil for none.
    public var notificationContent: Data? {
        var bytes = [UInt8](repeating: 0, count: Int(BGTASK_NOTIFICATION_MAX))
        let length = bgtt_notification_content(host, &bytes, bytes.count)
        return length == 0 ? nil : Data(bytes.prefix(length))
    }

    /// Whether the plugin has registered for pushes, and not unregistered afterwards.
    public var isRegisteredForPushes: Bool { bgtt_is_registered_for_pushes(host) }

    /// The violations of the plugin, each with its rule.
    public var violations: [String] {
        (0..<bgtt_violation_count(host)).compactMap { text(bgtt_violation(host, $0)) }
    }

    /// The lines of the log, in their order.
    public var log: [String] {
        (0..<bgtt_line_count(host)).compactMap { text(bgtt_line_at(host, $0)?.pointee.text) }
    }

    /// The number of open background assertions.
    public var openAssertions: Int { bgtt_assertion_count(host) }

    func text(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
}
