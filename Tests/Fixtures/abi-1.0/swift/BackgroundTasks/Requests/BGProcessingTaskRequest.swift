// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization

/// A request for a task of minutes that runs while the machine is idle. The manifest needs the background mode
/// `processing`.
open class BGProcessingTaskRequest: BGTaskRequest {
    struct Needs: Hashable {
        var network = false
        var externalPower = false
    }

    private let needs: Mutex<Needs>

    /// Creates a request for the task with that identifier.
    public init(identifier: String) {
        needs = Mutex(Needs())
        super.init(identifier: identifier)
    }

    init(identifier: String, terms: Terms, needs: Needs) {
        self.needs = Mutex(needs)
        super.init(identifier: identifier, terms: terms)
    }

    /// Whether the task requires a network. It then begins only with a network, unless a user runs it, and expires when
    /// the network is lost. The default is false.
    open var requiresNetworkConnectivity: Bool {
        get { needs.withLock { $0.network } }
        set { needs.withLock { $0.network = newValue } }
    }

    /// Whether the task requires external power. It then begins only on external power, unless a user runs it, and
    /// expires when the power is lost. The default is false.
    open var requiresExternalPower: Bool {
        get { needs.withLock { $0.externalPower } }
        set { needs.withLock { $0.externalPower = newValue } }
    }

    /// The needs as the open properties return them.
    var currentNeeds: Needs { Needs(network: requiresNetworkConnectivity, externalPower: requiresExternalPower) }

    override var values: [AnyHashable] { super.values + [currentNeeds] }

    override func duplicate() -> BGTaskRequest {
        BGProcessingTaskRequest(identifier: identifier, terms: currentTerms, needs: currentNeeds)
    }

    override func fill(_ request: inout bgt_request) {
        let needs = currentNeeds
        request.kind = BGT_KIND_PROCESSING
        if needs.network { request.flags |= BGT_NEEDS_NETWORK }
        if needs.externalPower { request.flags |= BGT_NEEDS_EXTERNAL_POWER }
    }
}

// Unchecked: all mutable state is in the mutex.
extension BGProcessingTaskRequest: @unchecked Sendable {}
