// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The guarantees that the operator requires.
extension SandboxPolicy {
    /// Throws when a required guarantee of the sandbox cannot be enforced.
    static func checkSandbox(
        _ required: Set<Guarantee>,
        _ mechanisms: SandboxMechanisms,
        hasOwnUsers: Bool
    ) throws(Refusal) {
        let limiting = LimitMechanisms(
            controllers: nil,
            hasGroupsOff: false,
            hasOwnUsers: hasOwnUsers,
            limits: .none,
            diskWatch: .none
        )
        for guarantee in Guarantee.allCases where required.contains(guarantee) && !guarantee.isLimit {
            guard case .notEnforced(let reason) = guarantee.enforcement(.required, mechanisms, limiting: limiting)
            else { continue }
            throw Refusal(
                description: "isolation requires the guarantee \(guarantee.rawValue), which cannot be enforced:"
                    + " \(reason); use a kernel that can enforce it and a container that allows it, list other guarantees in"
                    + " isolation, or set isolation to best-effort"
            )
        }
    }

    /// Throws when a required limit of launches cannot be enforced.
    package func checkLimits(_ limiting: LimitMechanisms) throws(Refusal) {
        for guarantee in Guarantee.allCases where required.contains(guarantee) && guarantee.isLimit {
            guard case .notEnforced(let reason) = guarantee.enforcement(isolation, mechanisms, limiting: limiting)
            else { continue }
            throw Refusal(
                description: "isolation requires the guarantee \(guarantee.rawValue), which is not enforced: \(reason);"
                    + " or remove \(guarantee.rawValue) from isolation"
            )
        }
    }

    /// Whether a launch must have a control group, where launches have them: a limit that control groups enforce is
    /// required.
    package var requiresGroups: Bool { !required.isDisjoint(with: [.memory, .processes]) }

    /// Whether a required guarantee would be broken if the grant opened more than the manifest requests.
    /// `excess(of:)` decides whether it does.
    func protects(from grant: LimitedGrant) -> Bool {
        switch grant.name {
        case .network, .connect, .listen: required.contains(.network)
        case .unix: required.contains(.controlSocket)
        case .gpu: required.contains(.files)
        case .processes, .path: false
        }
    }
}
