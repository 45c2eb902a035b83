// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The filters of system calls for all combinations of grants. The filter without grants is compiled at once, each
/// other filter at its first use: a host has plugins with few of the combinations, and a compilation takes
/// milliseconds.
final class SystemCallFilters: Sendable {
    struct Grants: Hashable {
        var sockets = SystemCallRules.Sockets(internet: .none, unix: false)
        var processes = false

        static let none = Grants()
    }

    private let confinesTruncation: Bool
    private let least: [UInt8]
    private let others = Mutex<[Grants: [UInt8]]>([:])

    /// Compiles the filter without grants. Throws when libseccomp cannot compile it.
    ///
    /// - Parameter confinesTruncation: whether Landlock confines the truncation of files, in every filter.
    init(confinesTruncation: Bool) throws(SystemCallFilter.Failure) {
        self.confinesTruncation = confinesTruncation
        least = try Self.compiled(.none, confinesTruncation)
    }

    /// The filter for these grants, as an array of the kernel's `struct sock_filter`. When libseccomp cannot compile
    /// this filter, for example for lack of memory, the result is the filter without grants: the plugin can then do
    /// less, and never more.
    func filter(for grants: Grants) -> [UInt8] {
        if grants == .none { return least }
        return others.withLock { filters in
            if let filter = filters[grants] { return filter }
            guard let filter = try? Self.compiled(grants, confinesTruncation) else { return least }
            filters[grants] = filter
            return filter
        }
    }

    private static func compiled(
        _ grants: Grants,
        _ confinesTruncation: Bool
    ) throws(SystemCallFilter.Failure) -> [UInt8] {
        try SystemCallRules.filter(
            sockets: grants.sockets,
            processes: grants.processes,
            confinesTruncation: confinesTruncation
        )
    }
}
