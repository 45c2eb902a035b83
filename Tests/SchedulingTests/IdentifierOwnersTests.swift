// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("An identifier belongs to the main plugin whose manifest permits it")
struct IdentifierOwnersTests {
    @Test(.proves(21)) func `removing a manifest releases its identifiers and patterns`() {
        var owners = IdentifierOwners()
        owners.add(.studio())
        #expect(owners[.clean] == .app && owners[.album(1)] == .app)
        owners.remove(.studio())
        #expect(owners[.clean] == nil && owners[.album(1)] == nil)
    }

    @Test(.proves(21)) func `removing a manifest keeps identifiers and patterns that another plugin took over`() {
        var owners = IdentifierOwners()
        owners.add(.studio())
        owners.add(.main(.mail, permitted: [.exact(.clean), "com.example.app.export.*"]))
        owners.remove(.studio())
        #expect(owners[.clean] == .mail && owners[.album(1)] == .mail)
    }

    @Test(.proves(21)) func `the identifier of an extension belongs to no plugin`() {
        var owners = IdentifierOwners()
        owners.add(.keyboard())
        #expect(owners["com.example.app.keyboard"] == nil)
    }

    @Test(.proves(21)) func `an exact identifier precedes a pattern, and a longer pattern precedes a shorter one`() {
        var owners = IdentifierOwners()
        owners.add(.main(.app, permitted: ["com.example.*", .exact("com.example.export.first")]))
        owners.add(.main(.mail, permitted: ["com.example.export.*"]))
        #expect(owners["com.example.other"] == .app)
        #expect(owners["com.example.export.first"] == .app)
        #expect(owners["com.example.export.second"] == .mail)
        #expect(owners["com.other.export"] == nil)
    }
}
