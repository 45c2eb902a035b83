// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation
import Synchronization

/// A request for a processing task of a study. The manifest needs the background mode `processing` and the grant
/// `health-research`.
public final class BGHealthResearchTaskRequest: BGProcessingTaskRequest, @unchecked Sendable {
    private let protection: Mutex<FileProtectionType>

    /// Creates a request for the task with that identifier.
    public override init(identifier: String) {
        protection = Mutex(.completeUntilFirstUserAuthentication)
        super.init(identifier: identifier)
    }

    private init(identifier: String, terms: Terms, needs: Needs, protection: FileProtectionType) {
        self.protection = Mutex(protection)
        super.init(identifier: identifier, terms: terms, needs: needs)
    }

    /// The protection type that states when the container has to be readable. The default,
    /// `.completeUntilFirstUserAuthentication`, requires a readable container at launch only.
    public var protectionTypeOfRequiredData: FileProtectionType {
        get { protection.withLock { $0 } }
        set { protection.withLock { $0 = newValue } }
    }

    override func duplicate() -> BGTaskRequest {
        BGHealthResearchTaskRequest(
            identifier: identifier,
            terms: currentTerms,
            needs: currentNeeds,
            protection: protectionTypeOfRequiredData
        )
    }

    override func fill(_ request: inout bgt_request) {
        super.fill(&request)
        request.kind = BGT_KIND_HEALTH_RESEARCH
        request.flags |= DataProtection.flag(protectionTypeOfRequiredData)
    }
}
