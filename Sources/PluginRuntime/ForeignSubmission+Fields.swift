// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import TaskModel

// A bgt_request has the fields of every kind: the fields of other kinds must be zero.
extension ForeignSubmission {
    static func refuseForeignFields(_ fields: bgt_request, of kind: TaskKind) throws(CallProblem) {
        let known = RequestField.allCases.reduce(UInt32(0)) { $0 | $1.flags }
        let unknown = fields.flags & ~known
        if unknown != 0 { throw tooNew("flags 0x\(String(unknown, radix: 16)) are no flags") }
        // A number that this host does not know is too new for every kind: a later minor may allow it there.
        _ = try strategy(fields.strategy)
        _ = try resources(fields.resources)
        if let field = RequestField.foreign(to: kind, isGiven: { $0.isGiven(in: fields) }) {
            if field.flags != 0 { throw foreignFlags(fields.flags, to: kind) }
            throw CallProblem(
                status: BGT_INVALID,
                message: "\(field.member) has no meaning for a \(kind.name) request; leave it zero"
            )
        }
    }

    /// The problem of a request whose `flags` have bits that requests of its kind do not have.
    private static func foreignFlags(_ flags: UInt32, to kind: TaskKind) -> CallProblem {
        let own = RequestField.allCases.filter { $0.belongs(to: kind) }.reduce(UInt32(0)) { $0 | $1.flags }
        let bits = String(flags & ~own, radix: 16)
        return CallProblem(
            status: BGT_INVALID,
            message: "flags 0x\(bits) do not apply to a \(kind.name) request; clear these bits"
        )
    }
}

extension RequestField {
    /// The bits of `bgt_request.flags` that contain this field; 0 when the field has a member of its own.
    fileprivate var flags: UInt32 {
        switch self {
        case .requiresNetwork: BGT_NEEDS_NETWORK
        case .requiresExternalPower: BGT_NEEDS_EXTERNAL_POWER
        case .protection: BGTASK_PROTECTION_MASK
        case .title, .subtitle, .strategy, .resources: 0
        }
    }

    /// The name of the member of `bgt_request` that contains this field.
    fileprivate var member: String {
        switch self {
        case .requiresNetwork, .requiresExternalPower, .protection: "flags"
        case .title: "title"
        case .subtitle: "subtitle"
        case .strategy: "strategy"
        case .resources: "resources"
        }
    }

    fileprivate func isGiven(in fields: bgt_request) -> Bool {
        switch self {
        case .requiresNetwork, .requiresExternalPower, .protection: fields.flags & flags != 0
        case .title: fields.title != nil
        case .subtitle: fields.subtitle != nil
        case .strategy: fields.strategy != 0
        case .resources: fields.resources != 0
        }
    }
}
