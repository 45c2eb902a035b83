// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation
import Synchronization

/// A request for a processing task of a study. The manifest needs the background mode `processing` and the grant
/// `health-research`.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// Raw value of the protection type. A string, because `NSString` is not `Sendable`.
    private let protection: Mutex<String>

    /// Creates a request for the task with that identifier.
    public override init(identifier: String) {
        protection = Mutex(FileProtectionType.completeUntilFirstUserAuthentication.rawValue)
        super.init(identifier: identifier)
    }

    private init(identifier: String, terms: Terms, needs: Needs, protection: String) {
        self.protection = Mutex(protection)
        super.init(identifier: identifier, terms: terms, needs: needs)
    }

    /// The raw value of the `FileProtectionType` that states when the container has to be readable, an `NSString` as in
    /// Apple's API. The default, `completeUntilFirstUserAuthentication`, requires a readable container at launch only;
    /// a value that no type has means the same.
    open var protectionTypeOfRequiredData: NSString {
        get { NSString(string: protection.withLock { $0 }) }
        set {
            let type = newValue.description
            protection.withLock { $0 = type }
        }
    }

    /// The data protection type as a string, read from `protectionTypeOfRequiredData`, which a subclass may override.
    var currentProtection: String { protectionTypeOfRequiredData.description }

    override var values: [AnyHashable] { super.values + [currentProtection] }

    override func duplicate() -> BGTaskRequest {
        BGHealthResearchTaskRequest(
            identifier: identifier,
            terms: currentTerms,
            needs: currentNeeds,
            protection: currentProtection
        )
    }

    override func fill(_ request: inout bgt_request) {
        super.fill(&request)
        request.kind = BGT_KIND_HEALTH_RESEARCH
        request.flags |= DataProtection.flag(FileProtectionType(rawValue: currentProtection))
    }
}

// Unchecked: all mutable state is in the mutex.
extension BGHealthResearchTaskRequest: @unchecked Sendable {}
