// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import Testing

@Suite("The manifest reader accepts each key of the table of keys")
struct ManifestKeyTests {
    private static let values: [ManifestKey: String] = [
        .manifest: "manifest: 1", .requires: "requires: []", .identifier: "identifier: com.example.feed",
        .name: "name: Feed",
        .version: "version: 1.0", .role: "role: main", .containingPlugin: "containing-plugin: com.example",
        .extensionPoint: "extension-point: trigger",
        .library: "library: libFeed.so", .sha256: "sha256: \(String(repeating: "a", count: 64))",
        .files: "files: {}", .mainBundle: "main-bundle: true",
        .backgroundModes: "background-modes: [fetch]",
        .permittedIdentifiers: "permitted-identifiers: [com.example.feed.refresh]",
        .handlers: "handlers: []",
        .handlersIdentifier: "handlers: [{ identifier: com.example.feed.refresh }]",
        .handlersSymbol: "handlers: [{ symbol: feed_refresh }]", .handlersArguments: "handlers: [{ arguments: [] }]",
        .handlersReturns: "handlers: [{ returns: void }]",
        .retry: "retry: {}", .retryAttempts: "retry: { com.example.feed.refresh: { attempts: 3 } }",
        .retryDelay: "retry: { com.example.feed.refresh: { delay: 1min } }",
        .retryBackoff: "retry: { com.example.feed.refresh: { backoff: 2 } }",
        .retryJitter: "retry: { com.example.feed.refresh: { jitter: 10 } }",
        .extensions: "extensions: [com.example.feed.keyboard]",
        .grants: "grants: {}", .grantsNetwork: "grants: { network: true }", .grantsRead: "grants: { read: [/a] }",
        .grantsWrite: "grants: { write: [/a] }", .grantsExecute: "grants: { execute: [/a] }",
        .grantsNetworkConnect: "grants: { network: { connect: [443] } }",
        .grantsNetworkListen: "grants: { network: { listen: [443] } }", .grantsUnix: "grants: { unix: [/a] }",
        .grantsGPU: "grants: { gpu: true }", .grantsHealthResearch: "grants: { health-research: true }",
        .grantsProcesses: "grants: { processes: true }",
        .grantsSettings: "grants: { settings: [] }", .limits: "limits: {}", .limitsMemory: "limits: { memory: 64 MiB }",
        .limitsProcesses: "limits: { processes: 64 }", .limitsFileSize: "limits: { file-size: 64 MiB }",
        .settings: "settings: { a: b }",
    ]

    @Test(arguments: ManifestKey.allCases)
    func `the manifest reader accepts every key of the table of keys and suggests it for a misspelt key`(
        _ key: ManifestKey
    )
        throws
    {
        let line = try #require(Self.values[key])
        let problems = read(yaml(line)).problems
        #expect(!problems.contains { $0.rule == .unknownKey }, "\(problems)")
        // The misspelt key is unknown, and the table's key is suggested.
        let misspelt = line.replacing(key.name, with: key.name + "x", maxReplacements: 1)
        #expect(read(yaml(misspelt)).problems.contains { $0.rule == .unknownKey && $0.remedy.contains(key.name) })
    }
}
