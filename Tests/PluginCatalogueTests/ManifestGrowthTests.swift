// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("A host ignores x- keys in a manifest of a later release, and refuses other additions")
struct ManifestGrowthTests {
    /// Reads a manifest of a simulated later release: known keys, and the additions of the release.
    private func read(_ additions: String) -> ManifestReading {
        PluginCatalogueTests.read(yaml("background-modes: [fetch]\n\(additions)"))
    }

    private func readPropertyList(
        _ additions: [String: Any],
        _ format: PropertyListSerialization.PropertyListFormat
    ) throws -> ManifestReading {
        let root = PropertyListTests.whole.merging(additions) { $1 }
        let data = try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
        return ManifestReading.read(bytes: Array(data), file: "Info.plist")
    }

    // MARK: YAML

    @Test(arguments: [
        "x-priority: { com.example.feed.refresh: 3 }", "limits: { x-disk: 1GiB }", "grants: { x-usb: [1] }",
        "settings: { a: { secret: true, x-rotate: 1d } }",
    ])
    func `a future key with the prefix x- in a manifest causes no error`(line: String) {
        #expect(read(line).problems.allSatisfy { $0.severity == .note } && read(line).manifest != nil)
    }

    @Test(arguments: [
        ("priority: { com.example.feed.refresh: 3 }", "priority"), ("limits: { disk: 1GiB }", "limits.disk"),
        ("grants: { usb: true }", "grants.usb"), ("grants: { network: { tls: true } }", "grants.network.tls"),
        ("settings: { a: { secret: true, rotate: 1d } }", "settings.a.rotate"),
    ])
    func `a future key without the prefix x- in a manifest is refused with its name`(line: String, key: String) throws {
        let problem = try #require(read(line).problems.first { $0.severity == .error })
        #expect(problem.rule == .unknownKey && problem.key == key && read(line).manifest == nil)
    }

    @Test func `a future key that resembles no known key is refused with the upgrade as a remedy`() {
        let remedy = read("notification-service: true").problems.first?.remedy ?? ""
        #expect(remedy.contains("upgrade bgtaskd if a later release has it"))
    }

    @Test(arguments: [
        ("role: service", "role"), ("background-modes: [fetch, push]", "background-modes[1]"),
        ("settings: { a: /b }\ngrants: { settings: [{ setting: a, access: append }] }", "grants.settings[0].access"),
    ])
    func `a future value of an enumeration is refused with its key and the known values`(lines: String, key: String)
        throws
    {
        let reading = PluginCatalogueTests.read(yaml(lines))
        let problem = try #require(reading.problems.first { $0.severity == .error })
        #expect(problem.rule == .wrongValue && problem.key == key && problem.message.contains("which is not one of"))
        #expect(reading.manifest == nil)
    }

    @Test func `a required feature of a later release is refused as the only problem, with the upgrade as a remedy`()
        throws
    {
        let reading = read("requires: [manifest.later, bgtask.legacy-fetch/1]\nlater: {}\nrole: service")
        #expect(reading.problems.map(\.short) == ["5 requires[0] requires"])
        #expect(reading.problems.first?.remedy.contains("upgrade bgtaskd") == true)
    }

    @Test func `a later format version of a manifest is refused as the only problem, with the upgrade as a remedy`() {
        let reading = PluginCatalogueTests.read(yaml("manifest: 2\nrequires: [a]\nlater: {}\nlibrary: [a]"))
        #expect(reading.problems.map(\.rule) == [.format])
        #expect(reading.problems.first?.remedy.contains("upgrade bgtaskd") == true)
    }

    // MARK: A simulated later release

    /// Manifest lines that a later release might add. `place` is the key and the rule of the problem on a host of this
    /// release; nil for a line without a problem.
    private static let later: [(line: String, place: String?)] = [
        ("requires: [bgtask.checkpoint/1]", "requires[0] requires"),
        ("on-demand-resources: true", "on-demand-resources unknown-key"),
        ("priority: { com.example.feed.refresh: { least: 3 } }", "priority unknown-key"),
        ("role: extension\ncontaining-plugin: com.example\nextension-point: widget", "extension-point wrong-value"),
        ("background-modes: [fetch, transfer]", "background-modes[1] wrong-value"),
        ("grants: { health-research: true, camera: true }", "grants.camera unknown-key"),
        ("grants: { network: { quic: [443] } }", "grants.network.quic unknown-key"),
        ("limits: { disk: 1GiB }", "limits.disk unknown-key"),
        ("x-priority: { least: 3 }\ngrants: { x-camera: true }\nlimits: { x-disk: 1GiB }", nil),
        ("library: { riscv128: a.so, x86_64: b.so }", nil),
    ]

    @Test(arguments: later)
    func `ten simulated additions of a later release are ignored, or refused with key, line and remedy`(
        line: String,
        place: String?
    ) throws {
        let host = ManifestHost(architecture: "x86_64", features: HostFeatures.all)
        let reading = ManifestReading.read(bytes: Array(yaml(line).utf8), file: "feed.yaml", for: host)
        let errors = reading.problems.filter { $0.severity == .error }
        #expect(
            errors.map { $0.short.split(separator: " ").dropFirst().joined(separator: " ") }
                == [place].compactMap(\.self)
        )
        #expect((reading.manifest == nil) == (place != nil))
        for problem in errors {
            #expect(problem.key != nil && problem.line != nil && !problem.message.isEmpty)
            #expect(
                problem.remedy.contains("upgrade bgtaskd") || problem.remedy.contains("write")
                    || problem.remedy.contains("remove it"),
                "\(problem)"
            )
        }
    }

    @Test func `x- additions of a later release do not change the name, modes and limits of a manifest`() throws {
        let plain = try #require(read("name: Feed").manifest)
        let later = try #require(read("name: Feed\nx-icon: feed.png\nlimits: { x-disk: 1GiB }").manifest)
        #expect(later.name == plain.name && later.modes == plain.modes && later.limits == plain.limits)
    }

    // MARK: Property lists

    private static let formats = [PropertyListSerialization.PropertyListFormat.xml, .binary]

    @Test(arguments: formats)
    func `an unknown Apple key or x- key in a property list has no effect`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let additions: [String: Any] = [
            "BGTaskSchedulerFutureKey": ["a": 1], "x-priority": 3, "UIBackgroundFuture": true,
        ]
        let reading = try readPropertyList(additions, format)
        #expect(reading.problems.isEmpty && reading.manifest != nil)
    }

    @Test(arguments: formats)
    func `a future key of bgtask in a property list is refused with its name and the upgrade as a remedy`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let reading = try readPropertyList(["bgtask-retry": 3], format)
        #expect(reading.problems.map(\.short) == ["- bgtask-retry unknown-key"] && reading.manifest == nil)
        #expect(reading.problems.first?.remedy.contains("upgrade bgtaskd") == true)
    }

    @Test(arguments: formats)
    func `a misspelt key of bgtask in a property list is refused with the similar key`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let problem = try #require(try readPropertyList(["bgtask-require": ["a"]], format).problems.first)
        #expect(problem.rule == .unknownKey && problem.remedy.hasPrefix("write \"bgtask-requires\""))
    }

    @Test(arguments: formats)
    func `a future requirement in a property list is refused alone, with its place`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let additions: [String: Any] = ["bgtask-requires": ["manifest.later"], "bgtask-later": 3, "CFBundleName": 7]
        let reading = try readPropertyList(additions, format)
        #expect(reading.problems.map(\.short) == ["- bgtask-requires[0] requires"])
        #expect(reading.manifest == nil && reading.library == nil)
    }

    @Test(arguments: formats)
    func `a future background mode in a property list causes a note`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let reading = try readPropertyList(["UIBackgroundModes": ["fetch", "processing", "future"]], format)
        #expect(reading.problems.map(\.short) == ["- UIBackgroundModes[2] meaningless-mode"])
        #expect(reading.manifest?.modes == [.fetch, .processing])
    }

    // MARK: The first release

    @Test func `the manifest reader still has the keys, values and features of the first release`() {
        let keys = Set(ManifestKey.allCases.map(\.rawValue))
        let missing = Self.firstKeys.filter { !keys.contains($0) }
        #expect(missing.isEmpty, "add keys and keep the old ones, or raise the number of the format")
        #expect(Set(PluginRole.allCases.map(\.name)).isSuperset(of: ["main", "extension"]))
        #expect(Set(BackgroundMode.allCases.map(\.rawValue)).isSuperset(of: ["fetch", "processing"]))
        #expect(Set(Grants.Setting.Access.allCases.map(\.rawValue)).isSuperset(of: ["read", "write"]))
        #expect(
            Set(HostFeatures.all).isSuperset(of: ["bgtask.legacy-fetch/1", "manifest.library-per-architecture"])
        )
        #expect(Set(ArchitectureName.supported).isSuperset(of: ["x86_64", "aarch64", "riscv64"]))
    }

    private static let firstKeys = [
        "manifest", "requires", "identifier", "name", "version", "role", "containing-plugin", "library", "sha256",
        "files", "background-modes", "permitted-identifiers", "handlers", "handlers.identifier", "handlers.symbol",
        "handlers.arguments", "handlers.returns", "extensions", "grants", "grants.network",
        "grants.network.connect", "grants.network.listen", "grants.unix", "grants.gpu", "grants.health-research",
        "grants.processes",
        "grants.read", "grants.write", "grants.execute", "grants.settings", "limits", "limits.memory",
        "limits.processes", "limits.file-size", "settings",
    ]
}
