// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The facts of pending work that determine its eligibility. The same conditions block all work of one plugin and one
/// class.
///
/// Times, user requests, retries and in-flight changes belong to a single request and are not part of its class.
package struct WorkClass: Hashable, Sendable {
    package let kind: TaskKind
    package let requiresNetwork: Bool
    package let requiresExternalPower: Bool
    /// The protection of a health research request; the default for other kinds.
    package let protection: ProtectionType
    package let resources: TaskResources

    /// The class of a request.
    ///
    /// - Parameter resources: the required resources; nil for the resources of the request's continued terms.
    package init(of request: TaskRequest, resources: TaskResources? = nil) {
        kind = request.kind
        requiresNetwork = request.requiresNetwork
        requiresExternalPower = request.requiresExternalPower
        protection = request.kind == .healthResearch ? request.protection : .default
        self.resources = resources ?? request.continued?.resources ?? []
    }

    private init(
        kind: TaskKind,
        requiresNetwork: Bool,
        requiresExternalPower: Bool,
        protection: ProtectionType,
        resources: TaskResources
    ) {
        self.kind = kind
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
        self.protection = protection
        self.resources = resources
    }

    /// The class of all events.
    package static let event = WorkClass(
        kind: .event,
        requiresNetwork: false,
        requiresExternalPower: false,
        protection: .default,
        resources: []
    )

    package init(of work: PendingWork) {
        switch work {
        case .request(let pending): self.init(of: pending.request)
        case .event: self = .event
        }
    }

    /// Whether the work waits for an idle machine.
    package var waitsForIdle: Bool { kind.isProcessing || isDiscretionaryTransfer }

    var isDiscretionaryTransfer: Bool { kind == .transfer && requiresExternalPower }

    // MARK: - Stored form

    /// The class encoded as one number for the ledger: kind in the lowest byte, then flags, protection and resources.
    package var code: Int64 {
        Int64(kind.rawValue) | (requiresNetwork ? 1 << 8 : 0) | (requiresExternalPower ? 1 << 9 : 0)
            | Int64(protection.rawValue & 0xf) << 12
            | Int64(truncatingIfNeeded: resources.rawValue & 0xffff) << 16
    }

    /// Decodes a class; nil when the number has an unknown kind or protection, or other bits than those of `code`.
    package init?(code: Int64) {
        guard let kind = TaskKind(rawValue: UInt32(code & 0xff)),
            let protection = ProtectionType(rawValue: UInt32(code >> 12 & 0xf))
        else { return nil }
        self.init(
            kind: kind,
            requiresNetwork: code & 1 << 8 != 0,
            requiresExternalPower: code & 1 << 9 != 0,
            protection: protection,
            resources: TaskResources(rawValue: UInt64(code >> 16 & 0xffff))
        )
        if self.code != code { return nil }
    }
}

/// The key of the wait history: a class of work of one plugin.
package struct WaitKey: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let workClass: WorkClass

    package init(plugin: PluginIdentifier, workClass: WorkClass) {
        self.plugin = plugin
        self.workClass = workClass
    }

    package init(of work: PendingWork) {
        self.init(plugin: work.plugin, workClass: WorkClass(of: work))
    }
}

/// A period in which only advisory policies blocked the due requests of a class (C12).
package struct DeferralPeriod: Hashable, Sendable {
    package let since: WallTime
    /// End of the period; nil while it lasts.
    package var until: WallTime?

    package init(since: WallTime, until: WallTime? = nil) {
        self.since = since
        self.until = until
    }
}
