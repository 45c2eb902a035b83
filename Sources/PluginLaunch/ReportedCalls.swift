// Part of bgtask, under the Apache License 2.0; see LICENSE.

import SandboxPolicy

/// The refused system calls of one launch that were reported.
///
/// Calls that a grant would allow have no limit: their names are few, and a plugin could use up the limit with other
/// calls. Calls that differ only in arguments outside of their name count as one call.
struct ReportedCalls {
    /// Maximum number of reported calls of a launch that no grant allows.
    static let ungrantableLimit = 64

    private var grantable: Set<DeniedCall> = []
    private var ungrantable: Set<DeniedCall> = []

    /// Adds a refused call. Returns whether the call is to be reported: it is the first one of its name and group and,
    /// if no grant allows it, within `ungrantableLimit`.
    mutating func add(_ call: DeniedCall) -> Bool {
        if call.isGrantable { return grantable.insert(call).inserted }
        return ungrantable.count < Self.ungrantableLimit && ungrantable.insert(call).inserted
    }
}
