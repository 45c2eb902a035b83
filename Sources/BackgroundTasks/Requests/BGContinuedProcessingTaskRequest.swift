// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization

/// Asks for a task that a person has just started, watches and may stop. It needs no background mode, begins as soon as
/// there is room, and runs as long as its progress grows.
public final class BGContinuedProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// What happens when there is no room at once.
    @nonexhaustive
    public enum SubmissionStrategy: Int, Hashable, Sendable {
        /// The submission fails with ``BGTaskScheduler/Error/Code/immediateRunIneligible``.
        case fail = 0
        /// The request waits for room; the default.
        case queue = 1
    }

    /// What the task needs beside processors and memory.
    public struct Resources: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: Int

        /// Resources by their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Nothing beyond what every task has.
        public static var `default`: Resources { [] }
        /// A graphics processor; the manifest needs the entitlement for it.
        public static let gpu = Resources(rawValue: 1 << 0)
    }

    struct Wish {
        var title: String
        var subtitle: String
        var strategy = SubmissionStrategy.queue
        var resources = Resources.default
    }

    private let wish: Mutex<Wish>

    /// Asks for the task with that identifier.
    ///
    /// - Parameters:
    ///   - identifier: permitted as it is, or composed from a permitted pattern.
    ///   - title: what people see; must not be empty. Of title and subtitle 255 bytes are shown.
    ///   - subtitle: what people see below.
    public init(identifier: String, title: String, subtitle: String) {
        wish = Mutex(Wish(title: title, subtitle: subtitle))
        super.init(identifier: identifier)
    }

    private init(identifier: String, terms: Terms, wish: Wish) {
        self.wish = Mutex(wish)
        super.init(identifier: identifier, terms: terms)
    }

    /// What people see of the task.
    public var title: String {
        get { wish.withLock { $0.title } }
        set { wish.withLock { $0.title = newValue } }
    }

    /// What people see below the title.
    public var subtitle: String {
        get { wish.withLock { $0.subtitle } }
        set { wish.withLock { $0.subtitle = newValue } }
    }

    /// What happens when there is no room at once.
    public var strategy: SubmissionStrategy {
        get { wish.withLock { $0.strategy } }
        set { wish.withLock { $0.strategy = newValue } }
    }

    /// What the task needs; ask ``BGTaskScheduler/supportedResources-type.property`` first.
    public var requiredResources: Resources {
        get { wish.withLock { $0.resources } }
        set { wish.withLock { $0.resources = newValue } }
    }

    /// As the host takes them.
    var currentTitles: (title: String, subtitle: String?) {
        let wish = wish.withLock { $0 }
        return (HostText.title(wish.title), wish.subtitle.isEmpty ? nil : HostText.title(wish.subtitle))
    }

    override func duplicate() -> BGTaskRequest {
        BGContinuedProcessingTaskRequest(identifier: identifier, terms: currentTerms, wish: wish.withLock { $0 })
    }

    override func fill(_ request: inout bgt_request) {
        let wish = wish.withLock { $0 }
        request.kind = BGT_KIND_CONTINUED
        request.strategy = wish.strategy == .fail ? BGT_STRATEGY_FAIL : BGT_STRATEGY_QUEUE
        request.resources = UInt64(bitPattern: Int64(wish.resources.rawValue))
    }
}
