// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A guarantee of launches that a command does not enforce, and the reason.
package struct UnenforcedGuarantee: Hashable, Sendable, Encodable {
    package let guarantee: String
    package let reason: String

    package init(_ guarantee: Guarantee, _ reason: String) {
        self.guarantee = guarantee.rawValue
        self.reason = reason
    }
}

extension SandboxPolicy {
    /// The guarantees that a launch by a command without a host does not have: the limits of memory, processes and
    /// disk, and each guarantee that the isolation setting or the kernel leaves unenforced.
    ///
    /// - Parameter command: the command that starts the launch, as the reasons name it.
    package func unenforced(by command: String) -> [UnenforcedGuarantee] {
        Guarantee.allCases.compactMap { guarantee in
            switch guarantee {
            // The host writes these limits to the control group of a launch.
            case .memory, .processes:
                UnenforcedGuarantee(
                    guarantee,
                    "\(command) uses no control group; a host with control groups"
                        + (guarantee == .processes ? " or with users of plugins" : "")
                        + " enforces its launch-limits and the manifest's limits"
                )
            case .disk:
                UnenforcedGuarantee(
                    guarantee,
                    "\(command) limits no file size and watches no disk; a host enforces its launch-limits and"
                        + " disk-reserve"
                )
            default:
                if case .notEnforced(let reason) = guarantee.enforcement(isolation, mechanisms) {
                    UnenforcedGuarantee(guarantee, reason)
                } else {
                    nil
                }
            }
        }
    }

    /// One message for each grant that this kernel can only open wider than requested; empty when isolation is off.
    package func warnings(about grants: Grants, settings: [String: String]) -> [String] {
        if isolation == .off { return [] }
        return LimitedGrant.all(of: grants, settings: settings).compactMap { grant in
            guard let excess = excess(of: grant) else { return nil }
            let effect = protects(from: grant) ? "is left out, because isolation is required" : "is not enforced"
            return "the grant \(grant.name.key) \(grant.requested) \(effect): \(excess)"
        }
    }
}
