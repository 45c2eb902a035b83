// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization

/// A request for a task that a user has just started, watches and may stop. It needs no background mode, begins as soon
/// as there is capacity, and runs as long as its progress grows.
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    /// Behaviour of a submission when there is no capacity at once.
    @nonexhaustive
    public enum SubmissionStrategy: Int, Hashable, Sendable {
        /// The submission fails with ``BGTaskScheduler/Error/Code/immediateRunIneligible``.
        case fail = 0
        /// The request waits for capacity; the default.
        case queue = 1
    }

    /// Resources that a continued task needs beyond processor and memory.
    public struct Resources: OptionSet, Hashable, Sendable {
        /// The bits, as Apple defines them.
        public let rawValue: Int

        /// Creates a set of resources from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// No additional resources.
        public static var `default`: Resources { [] }
        /// A graphics processor. The manifest needs the grant `gpu`.
        public static let gpu = Resources(rawValue: 1 << 0)
    }

    struct Parameters: Hashable {
        var title: String
        var subtitle: String
        var strategy = SubmissionStrategy.queue
        var resources = Resources.default
    }

    private let parameters: Mutex<Parameters>

    /// Creates a request for the task with that identifier.
    ///
    /// - Parameters:
    ///   - identifier: a permitted identifier, or one composed from a permitted pattern.
    ///   - title: title for users, not empty. The host shows at most 255 bytes each of title and subtitle.
    ///   - subtitle: second line for users.
    public init(identifier: String, title: String, subtitle: String) {
        parameters = Mutex(Parameters(title: title, subtitle: subtitle))
        super.init(identifier: identifier)
    }

    private init(identifier: String, terms: Terms, parameters: Parameters) {
        self.parameters = Mutex(parameters)
        super.init(identifier: identifier, terms: terms)
    }

    /// Title of the task that users see.
    open var title: String {
        get { parameters.withLock { $0.title } }
        set { parameters.withLock { $0.title = newValue } }
    }

    /// Second line that users see below the title.
    open var subtitle: String {
        get { parameters.withLock { $0.subtitle } }
        set { parameters.withLock { $0.subtitle = newValue } }
    }

    /// Behaviour of the submission when there is no capacity at once.
    open var strategy: SubmissionStrategy {
        get { parameters.withLock { $0.strategy } }
        set { parameters.withLock { $0.strategy = newValue } }
    }

    /// Resources that the task needs; check ``BGTaskScheduler/supportedResources-type.property`` first.
    open var requiredResources: Resources {
        get { parameters.withLock { $0.resources } }
        set { parameters.withLock { $0.resources = newValue } }
    }

    /// The parameters as the open properties return them.
    private var currentParameters: Parameters {
        Parameters(title: title, subtitle: subtitle, strategy: strategy, resources: requiredResources)
    }

    /// Title and subtitle cut to the length that the host accepts. The subtitle is nil when it is empty.
    var currentTitles: (title: String, subtitle: String?) {
        let (title, subtitle) = (title, subtitle)
        return (HostText.title(title), subtitle.isEmpty ? nil : HostText.title(subtitle))
    }

    override var values: [AnyHashable] { super.values + [currentParameters] }

    override func duplicate() -> BGTaskRequest {
        BGContinuedProcessingTaskRequest(
            identifier: identifier,
            terms: currentTerms,
            parameters: currentParameters
        )
    }

    override func fill(_ request: inout bgt_request) {
        request.kind = BGT_KIND_CONTINUED
        request.strategy = strategy == .fail ? BGT_STRATEGY_FAIL : BGT_STRATEGY_QUEUE
        request.resources = UInt64(bitPattern: Int64(requiredResources.rawValue))
    }
}

// Unchecked: all mutable state is in the mutex.
extension BGContinuedProcessingTaskRequest: @unchecked Sendable {}
