// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation
import Synchronization

/// A request to run a task: an abstract base class; create one of its subclasses.
///
/// A request is copied when it is submitted and when pending requests are listed. Later changes have no effect until
/// the request is submitted again.
///
/// Requests are equal when they have the same class and equal properties. The values of properties that a subclass
/// overrides are those of the subclass, also for the host.
open class BGTaskRequest: _SendableObject, NSCopying {
    struct Terms: Hashable {
        var earliestBegin: Date?
        var startDeadline: Date?
        var payload: Data?
    }

    /// Identifier of the requested task.
    open var identifier: String { name }

    private let name: String

    private let terms: Mutex<Terms>

    init(identifier: String, terms: Terms = Terms()) {
        name = identifier
        self.terms = Mutex(terms)
        super.init()
    }

    /// The earliest time at which the task begins; only a run that a user requests may begin earlier. The host decides
    /// how much later the task begins. Nil, the default, and a date in the past add no delay. The date is ignored for a
    /// continued task, which begins as soon as there is capacity.
    open var earliestBeginDate: Date? {
        get { terms.withLock { $0.earliestBegin } }
        set { terms.withLock { $0.earliestBegin = newValue } }
    }

    /// The deadline of the start: from this time on the task never starts, and the pending request disappears. A task
    /// that has started is not affected. Nil, the default, for no deadline. The host refuses a deadline that has passed
    /// or that is not later than the earliest begin, with ``BGTaskScheduler/Error/SubReason/deadlinePassed``. An
    /// addition of this platform to Apple's API.
    public var startDeadline: Date? {
        get { terms.withLock { $0.startDeadline } }
        set { terms.withLock { $0.startDeadline = newValue } }
    }

    /// Data for the task, at most 64 KiB; nil for none. The host does not interpret the data. An addition of this
    /// platform to Apple's API.
    public var payload: Data? {
        get { terms.withLock { $0.payload } }
        set { terms.withLock { $0.payload = newValue } }
    }

    /// The terms as the open properties return them: a subclass may override them.
    var currentTerms: Terms {
        Terms(earliestBegin: earliestBeginDate, startDeadline: startDeadline, payload: payload)
    }

    /// Creates a request of Apple's class with the values of the properties. The copy of a subclass is an object of the
    /// class that this module defines, unless the subclass overrides this function.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    /// A copy that no other code can change.
    func duplicate() -> BGTaskRequest { BGTaskRequest(identifier: identifier, terms: currentTerms) }

    // MARK: Equality

    /// The values that equal requests of one class have in common. Subclasses append theirs.
    var values: [AnyHashable] { [identifier, currentTerms] }

    /// Whether `object` is a request of the same class with equal properties.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? BGTaskRequest, type(of: other) == type(of: self) else { return false }
        return values == other.values
    }

    /// A hash of the properties. It changes with them: do not change a request that is a member of a set.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(values)
        return hasher.finalize()
    }

    /// Sets the fields of the struct that are specific to the kind of request.
    func fill(_ request: inout bgt_request) {}

    /// Identifier, date and class of the request, for logs.
    open override var description: String {
        let date = earliestBeginDate.map { ", not before \($0)" } ?? ""
        return "<\(type(of: self)): \(identifier)\(date)>"
    }
}

// Unchecked: all mutable state is in the mutex or in that of a subclass. Only `NSObject` prevents the compiler from
// checking it.
extension BGTaskRequest: @unchecked Sendable {}
