// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation
import Synchronization

/// What is asked of the host: an abstract base; create one of its subclasses.
///
/// A request is copied when it is submitted and when pending ones are listed: what is changed afterwards changes nothing
/// until it is submitted again.
public class BGTaskRequest: NSObject, NSCopying, @unchecked Sendable {
    // Sendable, for all that changes is in the mutex, or in that of a subclass; `NSObject` alone keeps the compiler from
    // seeing it.

    struct Terms {
        var earliestBegin: Date?
        var payload: Data?
    }

    /// The identifier of the task that is asked for.
    public let identifier: String

    private let terms: Mutex<Terms>

    init(identifier: String, terms: Terms = Terms()) {
        self.identifier = identifier
        self.terms = Mutex(terms)
        super.init()
    }

    /// The task never begins before; when after, the host decides. Nil, the default, and a date in the past add no delay.
    /// A continued task begins at once, whatever is said here.
    public var earliestBeginDate: Date? {
        get { terms.withLock { $0.earliestBegin } }
        set { terms.withLock { $0.earliestBegin = newValue } }
    }

    /// Handed to the task unread; at most 64 KiB. This platform's own: Apple's requests carry nothing.
    public var payload: Data? {
        get { terms.withLock { $0.payload } }
        set { terms.withLock { $0.payload = newValue } }
    }

    var currentTerms: Terms { terms.withLock { $0 } }

    /// A request of the same class that says the same.
    public func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    /// A copy that nobody else changes.
    func duplicate() -> BGTaskRequest { BGTaskRequest(identifier: identifier, terms: currentTerms) }

    /// Fills in what the kind adds.
    func fill(_ request: inout bgt_request) {}

    /// Identifier, date and class, for logs.
    public override var description: String {
        let date = earliestBeginDate.map { ", not before \($0)" } ?? ""
        return "<\(type(of: self)): \(identifier)\(date)>"
    }
}
