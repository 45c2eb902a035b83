// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostTestKit
import PluginInstaller
import TaskModel
import Testing

@testable import Commands

@Suite("A replacement with wider grants is installed only with a consent that names these grants")
struct GrantsConsentTests {
    private func with(
        _ before: String?,
        _ after: String,
        _ body: (PluginCommandFixture, String) async throws -> Void
    ) async throws {
        try await PluginCommandFixture.with { fixture in
            if let before { try await fixture.build("Obedient", lines: [before], in: "operator") }
            let manifest = try await fixture.build("Obedient", version: "2.0.0", lines: [after])
            try await body(fixture, manifest)
        }
    }

    @Test func `a replacement with wider grants is refused without a consent; wider right and grants digest are named`()
        async throws
    {
        let after = "grants: { network: true, read: [/srv/a] }"
        try await with("grants: { read: [/srv/a] }", after) { fixture, manifest in
            let before = fixture.installed
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.installed == before)
            #expect(fixture.terminal.output.contains("use the network (wider: the installed version may not)"))
            #expect(!fixture.terminal.output.contains("read /srv/a (wider"))
            let digest = try await fixture.grantsDigest(of: manifest)
            #expect(fixture.terminal.output.contains("digest \(digest)"))
            #expect(fixture.terminal.error.contains("use the network; nothing was written"))
            #expect(fixture.terminal.error.contains("--accept-grants \(digest)"))
            #expect(await fixture.run("install", manifest, "--yes", "--accept-grants", digest) == .done)
            #expect(fixture.installed.count == 2 && fixture.installed != before)
        }
    }

    @Test func `a consent to other grants is refused, also at a first installation`() async throws {
        let other = String(repeating: "0", count: 32)
        for before in [nil, "grants: {}"] {
            try await with(before, "grants: { network: true }") { fixture, manifest in
                let files = fixture.installed
                #expect(await fixture.run("install", manifest, "--yes", "--accept-grants", other) == .refused)
                #expect(fixture.installed == files)
                #expect(fixture.terminal.error.contains(other))
                let digest = try await fixture.grantsDigest(of: manifest)
                #expect(fixture.terminal.error.contains(digest))
            }
        }
    }

    @Test(arguments: [
        ("grants: { network: true }", "grants: { network: true }"), ("grants: { network: true }", "grants: {}"),
        ("grants: { write: [/srv] }", "grants: { read: [/srv/a], write: [/srv/b] }"),
        ("grants: { health-research: true, gpu: true }", "grants: { gpu: true }"),
    ])
    func `a replacement whose grants are included in those of the installed version needs no consent`(
        _ before: String,
        _ after: String
    ) async throws {
        try await with(before, after) { fixture, manifest in
            #expect(await fixture.run("install", manifest, "--yes") == .done)
        }
    }

    @Test func `a confirmed first installation of a plugin with a grant needs no consent to its grants`() async throws {
        try await with(nil, "grants: { network: true }") { fixture, manifest in
            #expect(await fixture.run("install", manifest, "--yes") == .done)
        }
    }

    @Test func `a replacement of a manifest with an invalid grant needs a consent to the new grant`() async throws {
        try await with("grants: { network: 7 }", "grants: { network: true }") { fixture, manifest in
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("use the network (wider"))
        }
    }

    @Test func `the JSON of plugin install has the outcome, the grants with their digest, and the wider ones`()
        async throws
    {
        try await with("grants: {}", "grants: { network: true }") { fixture, manifest in
            let refused = try await fixture.report(of: manifest, "--yes")
            #expect(refused.status == .refused && refused.report.outcome == "needs-consent")
            #expect(refused.report.format == 1 && refused.report.replaces == "1.0.0")
            #expect(refused.report.grants.may == ["use the network"])
            #expect(refused.report.grants.wider == ["use the network"])
            let digest = refused.report.grants.digest

            let unconfirmed = try await fixture.report(of: manifest, "--accept-grants", digest)
            #expect(unconfirmed.status == .misuse && unconfirmed.report.outcome == "needs-confirmation")

            let installed = try await fixture.report(of: manifest, "--yes", "--accept-grants", digest)
            #expect(installed.status == .done && installed.report.outcome == "no-host")
            #expect(installed.report.plugin == "com.example.obedient")
        }
    }
}
