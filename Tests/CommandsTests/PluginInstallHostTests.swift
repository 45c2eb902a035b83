// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginInstaller
import Synchronization
import Testing

@testable import Commands

@Suite("The running host decides whether an installation stays")
struct PluginInstallHostTests {
    @Test func `plugin install requests the plugin list again while the host is still loading`() async throws {
        let lists = [
            PluginListReply(plugins: [], refused: [], isPartial: true), try Samples.pluginList(),
        ]
        let texts = try lists.map { String(decoding: try WireCoding.encode($0), as: UTF8.self) }
        let calls = Mutex(0)
        let behaviour: StubHost.Behaviour = { _ in
            let isFirst = calls.withLock { count in
                count += 1
                return count == 1
            }
            return .body(status: 200, texts[isFirst ? 0 : 1])
        }
        try await StubHost.with(behaviour) { host in
            let list = try await ControlClient.withConnection(to: host.socket) { client in
                try await HostVerdict(client: client).plugins()
            }
            #expect(list == lists[1] && host.requests.count == 2)
        }
    }

    @Test func `plugin install is rolled back when the running host refuses the plugin`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            let directory = fixture.directory.file("operator")
            let behaviour = try Self.refusing(directory + "/com.example.obedient.yaml", in: directory)
            try await StubHost.with(behaviour) { host in
                #expect(await fixture.run("install", manifest, "--yes", "--socket", host.socket) == .refused)
            }
            let message = "so the installation was undone; the host's reasons: of a host's own reasons"
            #expect(fixture.terminal.error.contains(message))
            #expect(fixture.installed.isEmpty)
        }
    }

    /// The behaviour of a host that refuses every manifest at the path `file`.
    private static func refusing(_ file: String, in directory: String) throws -> StubHost.Behaviour {
        let note = ManifestNote(severity: .error, message: "of a host's own reasons")
        let list = PluginListReply(plugins: [], refused: [.init(file: file, identifier: nil, problems: [note])])
        let status = try WireCoding.encode(Samples.host())
        let text = String(decoding: status, as: UTF8.self)
            .replacingOccurrences(of: "/etc/bgtask/manifests", with: directory)
        let listText = String(decoding: try WireCoding.encode(list), as: UTF8.self)
        let empty = PluginListReply(plugins: [], refused: [])
        let emptyText = String(decoding: try WireCoding.encode(empty), as: UTF8.self)
        let missing = ErrorReply(code: "not-found", subReason: "unknown-plugin", message: "there is no such plugin")
        let missingText = String(decoding: try WireCoding.encode(missing), as: UTF8.self)
        return { request in
            switch request.path {
            case "/v1/host": .body(status: 200, text)
            // A query for this one file: a host may have thousands of plugins.
            case let path where path.hasPrefix("/v1/plugins?") && path.contains("manifest="):
                .body(status: 200, listText)
            case let path where path.hasPrefix("/v1/plugins?"): .body(status: 200, emptyText)
            default: .body(status: 404, missingText)
            }
        }
    }
}
