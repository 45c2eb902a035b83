// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel
import Testing

@testable import PluginTrial

@Suite("A trial names its user and the granted paths that this user cannot use")
struct TrialAccessTests {
    private static let stranger: UInt32 = 65_533

    /// Calls `body` with the path of a directory that, like its parents, every user may search.
    private func with(_ body: (String) throws -> Void) throws {
        let place = try TrialPlace(isSuperuser: false, temporary: "/tmp")
        defer { _ = place.delete() }
        try body(place.path)
    }

    private func file(_ path: String, _ mode: mode_t) throws {
        try AtomicFile.replace(path, with: [1])
        try #require(chmod(path, mode) == 0)
    }

    private func paths(_ grants: Grants) -> [GrantedPath] {
        GrantedPath.all(of: LimitedGrant.all(of: grants, settings: [:]), for: UserAccess(user: Self.stranger))
    }

    @Test func `a granted path whose mode refuses the user of the trial is named with the file that refuses`() throws {
        try with { place in
            try file("\(place)/open", 0o644)
            try file("\(place)/closed", 0o600)
            mkdir("\(place)/private", 0o700)
            try file("\(place)/private/open", 0o644)
            let names = ["open", "closed", "private/open"]
            let found = paths(Grants(read: names.map { "\(place)/\($0)" })).map(\.obstacle)
            #expect(found == [nil, .refused(by: "\(place)/closed"), .refused(by: "\(place)/private")])
        }
    }

    @Test func `a missing path is reported as missing for a read grant, and judged by its directory for a write grant`()
        throws
    {
        try with { place in
            mkdir("\(place)/shared", 0o777)
            chmod("\(place)/shared", 0o777)
            let found = paths(
                Grants(
                    read: ["\(place)/shared/new"],
                    write: ["\(place)/shared/new", "\(place)/new", "\(place)/none/new"]
                )
            )
            let expected: [GrantedPath.Obstacle?] = [.missing, nil, .refused(by: place), .missing]
            #expect(found.map(\.obstacle) == expected)
        }
    }

    @Test func `a directory with a read grant is reported as closed if the trial's user may list it and not search it`()
        throws
    {
        try with { place in
            mkdir("\(place)/listed", 0o744)
            chmod("\(place)/listed", 0o744)
            #expect(paths(Grants(read: ["\(place)/listed"])).map(\.obstacle) == [.refused(by: "\(place)/listed")])
        }
    }

    @Test func `the summary of a trial has the user and the granted paths, and each unusable path has a warning`() {
        let refused = GrantedPath(path: "/srv/a", key: "read", obstacle: .refused(by: "/srv"))
        let missing = GrantedPath(path: "/srv/b", key: "write", obstacle: .missing)
        let access = TrialAccess(user: "nobody", paths: [refused, missing], isConfined: true)
        #expect(
            access.summary == "the plugin runs as the user nobody; granted paths: /srv/a (read), /srv/b (write)"
        )
        #expect(access.warnings.count == 2)
        #expect(access.warnings[0].contains("is closed to the user nobody by the mode of /srv;"))
        #expect(access.warnings[1].contains("/srv/b (write) does not exist;"))
    }

    @Test func `the hint about EACCES is given only for a text that mentions it, in a sandbox without granted paths`() {
        let path = GrantedPath(path: "/srv", key: "read", obstacle: nil)
        let texts = ["no space left", "open /srv/a: Permission denied"]
        let confined = TrialAccess(user: "a", paths: [], isConfined: true)
        #expect(confined.hint(after: texts)?.contains("add the path to grants in the manifest") == true)
        #expect(confined.hint(after: ["open: EACCES"]) != nil)
        #expect(confined.hint(after: ["no space left"]) == nil && confined.hint(after: []) == nil)
        #expect(TrialAccess(user: "a", paths: [path], isConfined: true).hint(after: texts) == nil)
        #expect(TrialAccess(user: "a", paths: [], isConfined: false).hint(after: texts) == nil)
        #expect(TaskOutcome.crashed.mayHaveMissedGrant && !TaskOutcome.overran.mayHaveMissedGrant)
    }
}
