// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import PluginCatalogue
import Testing

@Suite("bgtask plugin show displays every key of a manifest")
struct ManifestDisplayTests {
    /// The part of the output that shows the key; nil for a key whose parts are shown instead.
    private static func display(of key: ManifestKey) -> String? {
        switch key {
        case .manifest: "manifests/Plain.yaml"
        case .requires: "requires        bgtask.legacy-fetch/1\n"
        case .identifier: "plugin          com.example.plain\n"
        case .name: "name            Plain 1.0.0"
        case .version: "1.0.0"
        case .role: "role            extension"
        case .containingPlugin: "extension of com.example.obedient"
        case .extensionPoint: "launched by     trigger"
        case .library: "plugins/libPlain.so"
        case .sha256: "sha256 "
        case .files: "file notes.txt, sha256 "
        case .mainBundle: "main bundle     each launch starts in it"
        case .backgroundModes: "modes           fetch, processing"
        case .permittedIdentifiers: "permitted       com.example.plain.greet"
        case .handlersIdentifier: "handlers        com.example.plain.greet is"
        case .handlersSymbol: "plain_greet("
        case .handlersArguments: "called with "
        case .handlersReturns: "int64_t plain_greet"
        case .retryAttempts: "7 attempts"
        case .retryDelay: "9min after the first failure"
        case .retryBackoff: "times 4 after each further one"
        case .retryJitter: "jitter 11 %"
        case .extensions: "extensions      com.example.deafextension"
        case .grantsNetwork: "grants          network"
        case .grantsNetworkConnect: "connect 443"
        case .grantsNetworkListen: "listen 8080"
        case .grantsUnix: "unix /run/nowhere.sock"
        case .grantsGPU: " gpu"
        case .grantsHealthResearch: "health-research\n"
        case .grantsProcesses: " processes\n"
        case .grantsRead: "read /etc/passwd"
        case .grantsWrite: "write /var/tmp"
        case .grantsExecute: "execute /bin/sh"
        case .grantsSettings: "read /etc/group"
        case .limitsMemory: "memory 64MiB"
        case .limitsProcesses: "processes 40"
        case .limitsFileSize: "file size 3MiB"
        case .settings: "greeting = Hello"
        case .handlers, .retry, .grants, .limits: nil
        }
    }

    @Test func `plugin show prints each manifest key`() async throws {
        var plain = TestPlugin("Plain", tasks: ["greet"])
        plain.handlers = ["greet": FunctionBindingTests.greet]
        plain.settings = ["greeting": "Hello", "list": "/etc/group"]
        plain.grants = """
            network: true, unix: [/run/nowhere.sock], gpu: true, health-research: true, processes: true, read: [/etc/passwd], write: [/var/tmp], execute: [/bin/sh], \
            settings: [{ setting: list, access: read }]
            """
        plain.manifestLines = [
            "limits: { memory: 64 MiB, processes: 40, file-size: 3 MiB }",
            "retry: { \(plain.task()): { attempts: 7, delay: 9min, backoff: 4, jitter: 11 } }",
        ]
        var main = TestPlugin("Obedient")
        main.grants = "network: { connect: [443], listen: [8080] }"
        let child = TestPlugin.extension("DeafExtension", of: &main)
        try await HostFixture.with(plugins: [main, child]) { host in
            let notes = try host.directory.write("notes".utf8, to: "plugins/notes.txt")
            let library = try host.directory.write(try await plain.libraryBytes(), to: plain.libraryFile)
            plain.manifestLines += [
                "requires: [bgtask.legacy-fetch/1]", "sha256: \(try LibraryDigest.of(path: library))",
                "files: { notes.txt: \(try LibraryDigest.of(path: notes)) }", "main-bundle: true",
            ]
            try await host.install(plain)
            let identifier = plain.identifier
            try await host.waitForJournal("its arrival") { $0.event == "plugin-installed" && $0.plugin == identifier }
            var text = ""
            for plugin in [plain, main, child] {
                text += try await host.bgtask("plugin", "show", plugin.identifier).output
            }
            for key in ManifestKey.allCases {
                guard let display = Self.display(of: key) else { continue }
                #expect(text.contains(display), "\(key.rawValue): \(text)")
            }
        }
    }
}
