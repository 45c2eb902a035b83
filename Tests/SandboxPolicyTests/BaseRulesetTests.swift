// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import RunnerWire
import TaskModel
import Testing

@testable import Sandbox

@Suite("A launch gets the places that every plugin may use as they are at its begin", .needsLandlock)
struct BaseRulesetTests {
    private static let rights = LandlockRights(files: Landlock.readFile, network: 0, scopes: 0)

    @Test func `a prepared ruleset is used until a place that every plugin may use is replaced, then prepared anew`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let paths = ["kept", "replaced"].map(directory.file)
            for path in paths { try Data().write(to: URL(filePath: path)) }
            let places = paths.map { (path: $0, rights: Landlock.readFile) }
            let prepared = try BaseRuleset(Self.rights, places: places)
            #expect(try BaseRuleset.take(prepared, for: Self.rights) === prepared)
            try Data([1]).write(to: URL(filePath: directory.file("new")))
            #expect(rename(directory.file("new"), paths[1]) == 0)
            let taken = try BaseRuleset.take(prepared, for: Self.rights)
            #expect(taken !== prepared)
            #expect(taken.opened.map(\.file) == paths.map(FileKey.init(ofPath:)))
        }
    }

    @Test func `a place of every plugin that was missing when the ruleset was prepared is granted once it exists`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = directory.file("late")
            let prepared = try BaseRuleset(Self.rights, places: [(path: path, rights: Landlock.readFile)])
            #expect(prepared.opened.map(\.file) == [nil])
            try Data().write(to: URL(filePath: path))
            let taken = try BaseRuleset.take(prepared, for: Self.rights)
            #expect(taken.opened[0].file == FileKey(ofPath: path) && taken.opened[0].file != nil)
        }
    }

    @Test func `a prepared ruleset is not used for a plan with other rights`() throws {
        let prepared = try BaseRuleset(Self.rights, places: [])
        let other = LandlockRights(files: Landlock.readFile | Landlock.writeFile, network: 0, scopes: 0)
        #expect(try BaseRuleset.take(prepared, for: other) !== prepared)
    }
}

extension Trait where Self == ConditionTrait {
    static var needsLandlock: Self { .enabled("the kernel has no Landlock") { Landlock.version > 0 } }
}
