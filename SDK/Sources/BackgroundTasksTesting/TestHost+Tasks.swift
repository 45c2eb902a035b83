// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import BackgroundTasks
import CBackgroundTasks
import CBackgroundTasksTesting
import Foundation

// Delivery, time and expiration.
extension TestHost {
    /// Kind of a delivered task.
    public enum Kind: Sendable {
        /// A `BGAppRefreshTask`.
        case refresh
        /// A `BGProcessingTask`.
        case processing
        /// A `BGHealthResearchTask`.
        case healthResearch
        /// A `BGContinuedProcessingTask`.
        case continued

        var number: UInt32 {
            switch self {
            case .refresh: UInt32(BGT_KIND_REFRESH)
            case .processing: UInt32(BGT_KIND_PROCESSING)
            case .healthResearch: UInt32(BGT_KIND_HEALTH_RESEARCH)
            case .continued: UInt32(BGT_KIND_CONTINUED)
            }
        }
    }

    /// A task that was delivered.
    public struct Delivery: Hashable, Sendable {
        let number: UInt64
    }

    /// Delivers a task, and returns at once. A task that is delivered before ``enter(_:)`` belongs to the launch: entry
    /// has to register its handler.
    ///
    /// - Returns: the delivered task; nil after a failed entry and after the end of the launch.
    public func deliver(_ identifier: String, _ kind: Kind, payload: Data? = nil) -> Delivery? {
        deliver(identifier, kind, payload: payload, fleetItem: 0, fence: 0)
    }

    /// Delivers a task from the queue of a fleet, as ``deliver(_:_:payload:)`` does. For `fleetItem` and `fence`, 0 stands
    /// for nil.
    public func deliver(
        _ identifier: String,
        _ kind: Kind,
        payload: Data? = nil,
        fleetItem: Int64,
        fence: Int64
    ) -> Delivery? {
        identifier.withCString { identifier in
            (payload ?? Data()).withUnsafeBytes { bytes in
                var delivery = bgtt_delivery()
                delivery.identifier = identifier
                delivery.kind = kind.number
                delivery.fleet_item = fleetItem
                delivery.fence = fence
                delivery.payload = payload == nil ? nil : bytes.baseAddress
                delivery.payload_length = payload == nil ? 0 : bytes.count
                if kind == .continued {
                    delivery.title = identifier
                    delivery.subtitle = identifier
                }
                let number = bgtt_deliver(host, &delivery)
                return number == 0 ? nil : Delivery(number: number)
            }
        }
    }

    /// Waits until a task is completed and its handlers have returned.
    ///
    /// - Returns: its outcome; nil for a task without a handler, and for one that stays open for ten seconds.
    public func outcome(of delivery: Delivery) async -> BGTask.Outcome? {
        BGTask.Outcome(rawValue: await waiting { bgtt_wait($0, delivery.number) })
    }

    /// Delivers a task, and waits for its outcome as ``outcome(of:)`` does.
    public func run(_ identifier: String, _ kind: Kind, payload: Data? = nil) async -> BGTask.Outcome? {
        guard let delivery = deliver(identifier, kind, payload: payload) else { return nil }
        return await outcome(of: delivery)
    }

    /// Delivers the pending request of an identifier, and waits for its outcome. The request is no longer pending.
    ///
    /// - Returns: the outcome; nil also when no request is pending.
    public func runPending(_ identifier: String) async -> BGTask.Outcome? {
        BGTask.Outcome(rawValue: await waiting { bgtt_run_pending($0, identifier) })
    }

    /// Delivers an event, and waits for its outcome as ``outcome(of:)`` does.
    ///
    /// - Returns: the outcome; nil also for a plugin without a receiver.
    public func send(_ event: BackgroundEvent.Kind) async -> BGTask.Outcome? {
        BGTask.Outcome(rawValue: await waiting { bgtt_send($0, event.rawValue) })
    }

    /// Delivers a background push with its payload, and waits for its outcome as ``outcome(of:)`` does.
    ///
    /// - Returns: the outcome; nil also for a plugin without a receiver.
    public func push(_ payload: Data = Data()) async -> BGTask.Outcome? {
        guard let delivery = deliverPush(payload) else { return nil }
        return await outcome(of: delivery)
    }

    /// Delivers an alert push with its payload to a notification service extension, and returns at once. See
    /// ``notificationContent`` for its answer.
    ///
    /// - Returns: the delivered push; nil after a failed entry and after the end of the launch.
    public func deliverAlert(_ payload: Data) -> Delivery? { deliver(payload, as: .notification) }

    /// Delivers a background push with its payload, and returns at once.
    ///
    /// - Returns: the delivered push; nil after a failed entry and after the end of the launch.
    public func deliverPush(_ payload: Data = Data()) -> Delivery? { deliver(payload, as: .push) }

    private func deliver(_ payload: Data, as event: BackgroundEvent.Kind) -> Delivery? {
        let number = payload.withUnsafeBytes { bytes in
            var delivery = bgtt_delivery()
            delivery.event = event.rawValue
            delivery.payload = payload.isEmpty ? nil : bytes.baseAddress
            delivery.payload_length = payload.count
            return bgtt_deliver(host, &delivery)
        }
        return number == 0 ? nil : Delivery(number: number)
    }

    /// The message of a completed task; nil without one.
    public func message(of delivery: Delivery) -> String? { text(bgtt_message(host, delivery.number)) }

    /// The newest progress that a continued task reported; nil without one.
    public func progress(of delivery: Delivery) -> (completed: Int64, total: Int64)? {
        var (completed, total): (Int64, Int64) = (0, 0)
        return bgtt_progress(host, delivery.number, &completed, &total) ? (completed, total) : nil
    }

    /// Expires a task. Its expiration handler is called on a thread of its own, or on the main thread if it was set
    /// there.
    ///
    /// - Parameters:
    ///   - delivery: the task; nil for every open task.
    ///   - reason: the reason that the task receives.
    public func expire(_ delivery: Delivery? = nil, because reason: BGTask.ExpirationReason) {
        _ = bgtt_expire(host, delivery?.number ?? 0, reason.rawValue)
    }

    /// Moves the clock forward. At the end of the budget every task that is not continued expires.
    public func advance(by duration: Duration) { bgtt_advance(host, duration.nanoseconds) }
}
