// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import HostConfiguration
import HostTestKit
import Logging
import PluginCatalogue
import Scheduling
import TaskModel
import Testing

@Suite("The JSON schemas accept and refuse the files that the readers accept and refuse")
struct SchemaTests {
    private static let flawsOfManifests = [
        "manifest: 2", "manifest: one", "requires: manifest.later", "requires: [manifest.later]",
        "library: { amd64/old: a.so }", "library: { x86_64: [a.so] }", "sha256: { x86_64: abc }",
        "files: { a: { x86_64: abc } }", "identifier: nodot", "identifier: com..feed", "role: mian", "role: extension",
        "sha256: abc", "main-bundle: { A: [b] }", "files: [a]", "files: { a: abc }", "background-modes: fetch",
        "background-modes: [audio]", "permitted-identifiers: [no..dot]", "permitted-identifiers: [nodot.*]",
        "handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [] }]",
        "handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [oops], returns: void }]",
        "handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [{ int32: a }], returns: void }]",
        "handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [{ download: a }], returns: void }]",
        "handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [], returns: int32 }]",
        "handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [], returns: { int32: always } }]",
        "retry: [com.example.feed.a]", "retry: { com.example.feed.a: { attempts: 1 } }",
        "retry: { com.example.feed.a: { delay: 5 } }", "retry: { com.example.feed.a: { backoff: 11 } }",
        "retry: { com.example.feed.a: { jitter: -1 } }", "retry: { com.example.feed.a: { pause: 1s } }",
        "extensions: [a..b]", "entitlements: [gpu]", "grants: { health-research: [a] }", "grants: { network: yes }",
        "grants: { read: [relative] }",
        "grants: { disk: true }", "grants: { network: { connect: [0] } }", "grants: { network: { listen: [a] } }",
        "grants: { unix: [run/a] }", "grants: { settings: [ { setting: a } ] }", "limits: { memory: 5 }",
        "limits: { memory: 5GB }", "limits: { cpu: 1 }",
        "settings: { a: [b] }", "settings: { a: { secret: false } }", "settings: { a: { secret: true, default: b } }",
        "other: 1",
    ]

    private static let flawsOfConfigurations = [
        "idle-timeout: 5", "isolation: maybe", "grace-period: 5 parsecs", "log-level: loud",
        "isolation: files", "isolation: []", "isolation: [files, required]",
        "conditions: { heat: true }",
        "conditions: { hot: yes }", "sensors: { idle-percent: 0 }", "limits: { refresh: -1 }", "batch-size: 201",
        "transfers: { no-progress-limit: 14 }", "transfers: { retention: 7 }",
        "transfers: { discretionary-rate: fast }", "fleet: { plugins: [nodot] }", "fleet: { plugins: \"*\" }",
        "fleet: { plugin: [a.b] }",
        "journal-size: 256 MB", "journal-size: 1", "logs: { launch: 1 MB }", "logs: { age: 1d }",
        "policies: { off: [impatience] }", "policies: { learn-use: sometimes }", "retry: { attempts: 0 }",
        "plugins: { nodot: { enabled: true } }",
        "plugins: { a.b: { settings: { a: [] } } }", "plugins: { a.b: { extensions: [c] } }",
        "plugins: { a.b: { secrets: { a: b } } }", "plugins: { a.b: { secrets: { a: {} } } }",
        "plugins: { a.b: { secrets: { a: { file: relative } } } }",
        "plugins: { a.b: { secrets: { a: { file: /a, environment: A } } } }",
        "plugins: { a.b: { secrets: { a: { environment: A-B } } } }",
        "plugins: { a.b: { secrets: { a: { credential: a/b } } } }",
        "plugins: { a.b: { retry: true } }", "plugins: { a.b: { retry: { a.b.c: off } } }",
        "plugins: { a.b: { retry: { a.b.c: { attempts: 101 } } } }",
        "plugins: { a.b: { retry: { a.b.c: { pause: 1s } } } }",
        "plugins: { a.b: { schedules: { a.b.c: { kind: refresh } } } }",
        "plugins: { a.b: { schedules: { a.b.c: { every: 1h, at: \"02:30\" } } } }",
        "plugins: { a.b: { schedules: { a.b.c: { every: 1h, kind: continued } } } }", "other: 1",
        "grant-limits: { nodot: {} }", "grant-limits: { \"a.*b\": {} }", "grant-limits: { a.b: { network: no-way } }",
        "grant-limits: { a.b: { write: [relative] } }", "grant-limits: { a.b: { disk: true } }",
        "grant-limits: { a.b: { network: { connect: [0] } } }", "grant-limits: { a.b: { network: { listen: [a] } } }",
        "grant-limits: { a.b: { network: { port: [80] } } }", "grant-limits: { a.b: { network: { connect: 80 } } }",
    ]

    @Test func `every manifest of the repository except the broken one is valid for schema and reader`() async throws {
        let root = try Schema.root.appending(path: "Plugins/manifests")
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".yaml") }
        let texts = try names.map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }
        #expect(names.count >= 8)
        let schema = try Schema("manifest")
        #expect(try await zip(names, schema.verdicts(on: texts)).filter { !$1 }.map(\.0) == ["broken.yaml"])
        #expect(zip(names, texts.map(Self.isManifest)).filter { !$1 }.map(\.0) == ["broken.yaml"])
    }

    @Test func `each manifest key is in the schema, and schema and reader refuse a value of another type`() async throws
    {
        let schema = try Schema("manifest")
        let paths = schema.paths.filter { !$0.contains("*") }
        let handlers = schema.keys(ofDefinition: "handler").map { "handlers.\($0)" }
        let retry = schema.keys(ofDefinition: "retry").map { "retry.\($0)" }
        let known = Set(paths.map { $0.joined(separator: ".") } + handlers + retry)
        #expect(handlers.count >= 4 && retry.count >= 4 && known == Set(ManifestKey.allCases.map(\.rawValue)))
        let texts = schema.paths.map { Self.manifest(Schema.line(of: $0, schema.wrongValue(at: $0))) }
        for (text, isValid) in try await zip(texts, schema.verdicts(on: texts)) {
            #expect(!isValid && !Self.isManifest(text), "\(text)")
        }
    }

    @Test func `the identifier of the manifest's schema has the number of the format that the reader accepts`() throws {
        let identifier = try #require(try Schema("manifest").identifier)
        let format = try #require(identifier.wholeMatch(of: /urn:bgtask:manifest:([0-9]+)/)).1
        #expect(Self.isManifest(Self.manifest("manifest: \(format)")))
    }

    @Test func `a manifest with one library for each architecture is valid for schema and reader`() async throws {
        let digest = String(repeating: "a", count: 64)
        let lines = [
            "library: { x86_64: a.so, aarch64: b/a.so, riscv64: c.so, loongarch64: d.so, x-why: [1] }",
            "sha256: { x86_64: \(digest), aarch64: \(digest), riscv64: \(digest), loongarch64: \(digest) }",
            "files: { a: \(digest), b: { x86_64: \(digest), x-why: { a: b } } }", "requires: [bgtask.legacy-fetch/1]",
        ]
        let text = Self.manifest(lines[0]) + lines.dropFirst().joined(separator: "\n")
        #expect(try await Schema("manifest").verdicts(on: [text]) == [true])
        #expect(Self.isManifest(text))
    }

    @Test func `each known mistake in a manifest is refused by schema and reader`() async throws {
        var texts = Self.flawsOfManifests.map { Self.manifest($0) }
        for key in ["manifest", "identifier", "library"] { texts.append(Self.manifest("", without: key)) }
        for (text, isValid) in try await zip(texts, Schema("manifest").verdicts(on: texts)) {
            #expect(!isValid, "the schema accepts \(text)")
            #expect(!Self.isManifest(text), "the reader accepts \(text)")
        }
    }

    @Test func `each configuration key is in the schema, and schema and reader refuse a value of another type`()
        async throws
    {
        let schema = try Schema("configuration")
        let page = try String(
            contentsOf: Schema.root.appending(path: "Documentation/Configuration.md"),
            encoding: .utf8
        )
        let documented: [String] = page.matches(of: /\| <a id="[^"]+"><\/a>`([^`]+)` \|/).map { match in
            String(match.1).replacing("...schedules", with: "plugins.*.schedules").replacing(".ID", with: ".*")
                .replacing(".TASK", with: ".*").replacing("...grant-limits.PATTERN", with: "grant-limits.*")
                .replacing(".KEY", with: ".*")
        }
        let paths = Set(schema.paths.map { $0.joined(separator: ".") })
        let below = ["plugins.*.limits.", "plugins.*.budgets."]
        let described = paths.filter { path in !below.contains { path.hasPrefix($0) } }
        let (surplus, lacking) = (described.subtracting(documented), Set(documented).subtracting(described))
        #expect(
            described == Set(documented),
            "only in the schema: \(surplus.sorted()); only in Configuration.md: \(lacking.sorted()); add or remove them"
        )
        let texts = schema.paths.map { Schema.line(of: $0, schema.wrongValue(at: $0)) }
        for (text, isValid) in try await zip(texts, schema.verdicts(on: texts)) {
            let problems = try await Self.problems(ofConfiguration: text)
            #expect(!isValid && !problems.isEmpty, "\(text)")
            #expect(!problems.contains { $0.contains("is not a known key") }, "\(problems)")
        }
    }

    @Test func `each known mistake in a configuration is refused by schema and reader`() async throws {
        let texts = Self.flawsOfConfigurations
        for (text, isValid) in try await zip(texts, Schema("configuration").verdicts(on: texts)) {
            #expect(!isValid, "the schema accepts \(text)")
            #expect(try await !Self.problems(ofConfiguration: text).isEmpty, "the reader accepts \(text)")
        }
    }

    @Test func `every enumeration of the schemas has the values of the model`() throws {
        let manifest = try Schema("manifest").enumerations
        let rules = FunctionResult.SuccessRule.allCases.map(\.rawValue)
        #expect(
            manifest == [
                "requires": HostFeatures.all,
                "role": PluginRole.allCases.map(\.name),
                "extension-point": ExtensionPoint.allCases.map(\.rawValue),
                "background-modes": BackgroundMode.allCases.map(\.rawValue),
                "grants.settings.access": Grants.Setting.Access.allCases.map(\.rawValue),
                "argument": manifest["argument"] ?? [],
                "result.int32": rules, "result.int64": rules,
            ]
        )
        // An argument of these kinds has a value: the schema describes it as a mapping.
        let valued: Set<FunctionArgument.Kind> = [
            .string, .int32, .uint32, .int64, .uint64, .double, .bool, .bytes, .setting, .download, .outString,
        ]
        let arguments = Set(FunctionArgument.Kind.allCases).subtracting(valued)
        #expect(Set(manifest["argument"] ?? []) == Set(arguments.map(\.rawValue)))
        let model = [
            "isolation": Isolation.allCases.map(\.rawValue),
            "guarantees": Guarantee.allCases.map(\.rawValue),
            "log-level": Logger.Level.allCases.map(\.rawValue),
            "policies.off": Policy.allCases.map(\.rawValue),
            "provenance.unsigned": ["allow", "warn", "refuse"], "provenance.unpinned": ["allow", "warn", "refuse"],
            "provenance.packages": ["trust", "refuse"],
            "plugin.retry": ["accept", "refuse"], "schedule.kind": ["refresh", "processing", "health-research"],
        ]
        let configuration = try Schema("configuration").enumerations
        #expect(configuration == model, "correct in the schema: \(model.filter { configuration[$0.key] != $0.value })")
    }

    @Test func `every manifest and configuration in the documentation is valid for schema and reader`() async throws {
        let blocks = try Schema.documents()
        let manifests = blocks.filter { $0.hasPrefix("manifest:") || $0.contains("\nmanifest:") }
        let configurations = blocks.filter { !manifests.contains($0) }
        #expect(manifests.count >= 3 && !configurations.isEmpty)
        for (text, isValid) in try await zip(manifests, Schema("manifest").verdicts(on: manifests)) {
            #expect(isValid && Self.isManifest(text), "\(text)")
        }
        for (text, isValid) in try await zip(configurations, Schema("configuration").verdicts(on: configurations)) {
            #expect(isValid, "\(text)")
            #expect(try await Self.problems(ofConfiguration: text) == [], "\(text)")
        }
    }

    // MARK: Readers

    private static func manifest(_ line: String, without removed: String? = nil) -> String {
        let lines = ["manifest: 1", "identifier: com.example.feed", "library: libFeed.so"]
        let key = removed ?? String(line.prefix { $0 != ":" })
        return (lines.filter { !$0.hasPrefix("\(key):") } + [line]).joined(separator: "\n") + "\n"
    }

    private static func isManifest(_ text: String) -> Bool {
        ManifestReading.read(bytes: Array(text.utf8), file: "/etc/bgtask/manifests/feed.yaml").manifest != nil
    }

    private static func problems(ofConfiguration text: String) async throws -> [String] {
        try await ScratchDirectory.with { directory in
            let file = try directory.write(text.utf8, to: "bgtaskd.yaml")
            return try HostFlags.parse(["--user", "--config", file]).read().problems
        }
    }
}
