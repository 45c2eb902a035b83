// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A field that only some kinds of request have. This table is the only source of the rule: flags of `task submit`,
/// bodies of `POST /v1/tasks`, the ABI's `bgt_request` and the runner's messages are checked against it.
package enum RequestField: CaseIterable, Hashable, Sendable {
    case requiresNetwork
    case requiresExternalPower
    case protection
    case title
    case subtitle
    case strategy
    case resources

    /// The names of a field, and the kinds of request that have it.
    private typealias Row = (key: String, flag: String, kinds: Set<TaskKind>)

    private var row: Row {
        switch self {
        case .requiresNetwork: ("requires_network", "--needs-network", Self.ofProcessing.union([.transfer]))
        case .requiresExternalPower:
            ("requires_external_power", "--needs-external-power", Self.ofProcessing.union([.push, .transfer]))
        case .protection: ("protection", "--protection", [.healthResearch])
        case .title: ("title", "--title", [.continued])
        case .subtitle: ("subtitle", "--subtitle", [.continued])
        case .strategy: ("strategy", "--strategy", [.continued])
        case .resources: ("requires_gpu", "--needs-gpu", [.continued])
        }
    }

    private static let ofProcessing = Set(TaskKind.allCases.filter(\.isProcessing))

    /// The key of the field in request bodies of the control API.
    package var key: String { row.key }
    /// The option of `task submit` that sets the field.
    package var flag: String { row.flag }

    package func belongs(to kind: TaskKind) -> Bool { row.kinds.contains(kind) }

    /// The first field that is given but that requests of the kind do not have; nil when there is none.
    package static func foreign(to kind: TaskKind, isGiven: (RequestField) -> Bool) -> RequestField? {
        allCases.first { !$0.belongs(to: kind) && isGiven($0) }
    }
}

extension TaskKind {
    /// The kinds that can be submitted as requests for an identifier. Events are created by the host, pushes are sent
    /// to a plugin, and transfers are begun by a plugin.
    package static let submittable = allCases.filter { ofABI.contains($0) && $0 != .event }
}

extension TaskKind {
    fileprivate var withArticle: String { self == .event ? "an event" : "a \(name)" }
}

extension TaskRequest {
    /// Whether the request sets the field to a value other than the default. A request with continued terms sets title
    /// and strategy, whatever their values.
    package func has(_ field: RequestField) -> Bool {
        switch field {
        case .requiresNetwork: requiresNetwork
        case .requiresExternalPower: requiresExternalPower
        case .protection: protection != .default
        case .title, .strategy: continued != nil
        case .subtitle: continued?.subtitle != nil
        case .resources: continued.map { !$0.resources.isEmpty } ?? false
        }
    }

    /// Description of the first flaw of an invalid request, in its payload, kind or fields; nil when the request is
    /// valid. Permissions are checked elsewhere.
    package func flaw(with payload: [UInt8]) -> String? {
        if payload.count > Self.maximumPayload {
            return "the payload has \(payload.count) bytes; at most \(Self.maximumPayload) are allowed;"
                + " put larger data into the container"
        }
        if !TaskKind.submittable.contains(kind) {
            return "\(kind.withArticle) cannot be submitted; submit another kind"
        }
        if let field = RequestField.foreign(to: kind, isGiven: has) {
            return "\(field.key) has no meaning for a \(kind.name) request; leave it out"
        }
        guard kind == .continued else { return nil }
        guard let continued else { return "the continued request has no title; set a title" }
        return continued.flaw
    }
}

extension ContinuedTerms {
    fileprivate var flaw: String? {
        switch Self.titleProblem(title: title, subtitle: subtitle) {
        case .missing: "the title of the continued request is empty; set a title of at least one byte"
        case .tooLong(let field, let bytes):
            "the \(field.key) has \(bytes) bytes; at most \(Self.maximumTitle) are allowed; shorten it"
        case nil: nil
        }
    }
}
