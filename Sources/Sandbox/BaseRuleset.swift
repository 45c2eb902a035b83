// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import RunnerWire
import TaskModel

/// A Landlock ruleset that grants the places that every plugin may use.
///
/// A runner that waits for its plan creates one in advance, so that a launch adds only the places of its own plugin.
package final class BaseRuleset {
    let ruleset: LandlockRuleset
    /// The rights that the ruleset refuses unless a rule grants them.
    private let rights: LandlockRights
    /// The base places as they were opened. A rule applies to the opened file, not to its path.
    private(set) var opened: [(path: String, rights: UInt64, file: FileKey?)] = []

    init(
        _ rights: LandlockRights,
        places: [(path: String, rights: UInt64)] = BasePlaces.all
    ) throws(SystemError) {
        ruleset = try LandlockRuleset(rights)
        self.rights = rights
        for (path, rights) in places { opened.append((path, rights, try add(path, rights))) }
    }

    /// Creates the ruleset with all rights that this kernel offers; nil without Landlock, or when a step fails. The
    /// launch then creates a ruleset itself, and reports a failure.
    package static func prepared() -> BaseRuleset? { Landlock.offered().flatMap { try? BaseRuleset($0) } }

    /// Returns a ruleset with the rights of a plan: the prepared one, or a new one if its rights differ or one of its
    /// places was replaced, such as `/etc/resolv.conf`. A rule cannot be removed from a ruleset.
    static func take(_ prepared: BaseRuleset?, for rights: LandlockRights) throws(SystemError) -> BaseRuleset {
        guard let prepared, prepared.rights == rights else { return try BaseRuleset(rights) }
        let isPresent = prepared.opened.allSatisfy { FileKey(ofPath: $0.path) == $0.file }
        return isPresent ? prepared : try BaseRuleset(rights, places: prepared.opened.map { ($0.path, $0.rights) })
    }

    private func add(_ path: String, _ rights: UInt64) throws(SystemError) -> FileKey? {
        guard let place = Place(path) else { return nil }
        try ruleset.allow(place, rights)
        return place.file
    }
}
