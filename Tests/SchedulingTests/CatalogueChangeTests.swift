// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A change of the catalogue affects only the plugins that it names")
struct CatalogueChangeTests {
    private typealias Refusal = Catalogue.ManifestRefusal

    @Test func `a catalogue change names the installed, changed, removed, refused and no longer refused plugins`() {
        let old = Catalogue(
            [.app(), .mail(), .keyboard()],
            refused: ["com.example.a": Refusal(problem: "torn"), "com.example.b": Refusal(problem: "torn")]
        )
        let new = Catalogue(
            [.app(version: "2.0"), .mail(), RandomWalk.news],
            refused: [
                "com.example.b": Refusal(problem: "torn", isOrphan: true), "com.example.c": Refusal(problem: "torn"),
            ]
        )
        let change = CatalogueChange(from: old, to: new)
        #expect(change.installed == [.app(version: "2.0"), RandomWalk.news])
        #expect(change.removed == [.keyboard])
        #expect(Set(change.refused.keys) == ["com.example.b", "com.example.c"])
        #expect(change.accepted == ["com.example.a"])
        #expect(CatalogueChange(from: new, to: new).isEmpty)
    }

    @Test func `the first catalogue change after a start marks known plugins without a manifest as missing`() {
        let host = SchedulerDriver(.app(), .mail())
        host.restart(with: [.app()])
        #expect(host.ledger.known[.mail]?.missingSince != nil && host.ledger.known[.app]?.missingSince == nil)
    }

    @Test func `plugins that a later catalogue change does not name stay installed`() {
        let host = SchedulerDriver(.app(), .mail())
        host.installed = [.app(version: "2.0"), .mail()]
        host.send(.catalogued(CatalogueChange(to: Catalogue([.app(version: "2.0")]))))
        #expect(host.scheduler.plugins[.app].entry == .app(version: "2.0"))
        #expect(host.scheduler.plugins[.mail].entry == .mail() && host.ledger.known[.mail]?.missingSince == nil)
    }

    @Test func `a removal of an unknown plugin adds no journal entry and records no plugin`() {
        let host = SchedulerDriver(.app())
        let before = host.ledger.journal.count
        host.send(.catalogued(CatalogueChange(from: Catalogue([.mail()]), to: Catalogue())))
        #expect(host.ledger.journal.count == before && host.ledger.known[.mail] == nil)
    }

    @Test
    func `if one of a plugin's two manifests is removed and the other refused, its requests wait with that refusal`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean, after: .hours(1))
        host.refused[.app] = "it is torn"
        host.sendCatalogue()
        host.remove(.app)
        #expect(host.reasons(.clean).contains(.pluginRefused(.app, problem: "it is torn")))
    }

    @Test func `a plugin whose manifest is refused twice is journaled as refused once, and later as removed once`() {
        let host = SchedulerDriver(.app())
        host.refuse(.app, because: "it is torn")
        host.refuse(.app, because: "it is empty")
        #expect(host.entries(.pluginRefused).count == 1 && host.entries(.pluginRemoved).isEmpty)
        host.sendCatalogue(refused: [:])
        #expect(host.entries(.pluginRemoved).count == 1)
    }

    @Test func `requests that are loaded after the manifest of their plugin was refused have the refusal as reason`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean, after: .hours(1))
        host.refused[.app] = "it is torn"
        host.loads = .held
        host.restart(with: [])
        host.bringLoads()
        #expect(host.reasons(.clean).contains(.pluginRefused(.app, problem: "it is torn")))
    }
}
