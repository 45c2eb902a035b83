// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("A manifest is read into the values of its keys")
struct ManifestTests {
    static let whole = """
        manifest: 1                                  # format of this file
        identifier: com.example.colorfeed
        name: Color Feed
        version: 1.4.0
        role: main
        library: libColorFeed.so
        sha256: 9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08
        background-modes: [fetch, processing]
        permitted-identifiers:
          - com.example.colorfeed.refresh
          - com.example.colorfeed.db-cleaning
          - com.example.colorfeed.export.*
        extensions: [com.example.colorfeed.keyboard]
        grants: { gpu: true, health-research: true }
        settings: { feed-url: "https://example.com/feed.xml", retries: 3, verbose: true }
        x-reviewed-by: somebody
        """

    @Test func `identity, library, modes, identifiers, grants and settings of a YAML manifest are read`() throws {
        let reading = read(Self.whole)
        let manifest = try #require(reading.manifest)
        #expect(reading.problems.isEmpty)
        #expect(manifest.identifier.value.text == "com.example.colorfeed")
        #expect(manifest.name == "Color Feed")
        #expect(manifest.version == "1.4.0")
        #expect(manifest.role == .main)
        #expect(manifest.containing == nil)
        #expect(manifest.library.path.value == "libColorFeed.so")
        let pin = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        #expect(manifest.library.pinnedDigest?.value == pin)
        #expect(manifest.modes == [.fetch, .processing])
        #expect(
            manifest.permitted.map(\.value.description) == [
                "com.example.colorfeed.refresh", "com.example.colorfeed.db-cleaning", "com.example.colorfeed.export.*",
            ]
        )
        #expect(manifest.extensions.map(\.text) == ["com.example.colorfeed.keyboard"])
        #expect(manifest.entitlements == [.continuedProcessingGPU, .healthResearch] && manifest.grants.gpu)
        #expect(manifest.settings == ["feed-url": "https://example.com/feed.xml", "retries": "3", "verbose": "true"])
    }

    @Test func `the manifest digest is the SHA-256 of its bytes`() {
        #expect(read("test").digest == "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    }

    @Test func `an extension's manifest needs only a main plugin and a library`() throws {
        let text = """
            manifest: 1
            identifier: com.example.colorfeed.keyboard
            role: extension
            containing-plugin: com.example.colorfeed
            library: libColorFeedKeyboard.so
            """
        let reading = read(text)
        let manifest = try #require(reading.manifest)
        #expect(reading.problems.isEmpty)
        #expect(manifest.role == .extension)
        guard case .named(let main) = manifest.containing else {
            Issue.record("no containing plugin")
            return
        }
        #expect(main.value.text == "com.example.colorfeed")
        #expect(main.position?.line == 4)
    }

    @Test func `a minimal manifest describes a main plugin that is named by its identifier`() throws {
        let manifest = try #require(read(yaml()).manifest)
        #expect(manifest.role == .main)
        #expect(manifest.name == "com.example.feed")
        #expect(manifest.version.isEmpty)
        #expect(manifest.modes.isEmpty && manifest.permitted.isEmpty && manifest.settings.isEmpty)
    }

    @Test func `a manifest version that looks like a number keeps its text`() {
        #expect(read(yaml("version: 1.10")).manifest?.version == "1.10")
    }

    @Test func `the mode fetch without permitted identifiers is accepted as legacy fetch`() {
        let reading = read(yaml("background-modes: [fetch]"))
        #expect(reading.manifest?.modes == [.fetch])
        #expect(reading.problems.isEmpty)
    }

    @Test func `a manifest without grants requests none`() throws {
        #expect(read(yaml("name: Feed")).manifest?.grants == Grants.none)
    }

    @Test func `the grants of a manifest are parsed`() throws {
        let settings = "settings: { folder: /srv }"
        let list = "network: true, processes: true, read: [/a], write: [/b], execute: [/c]"
        let reading = read(yaml("\(settings)\ngrants: { \(list), settings: [ { setting: folder, access: write } ] }"))
        #expect(reading.problems.isEmpty)
        let sockets = read(yaml("grants: { network: { connect: [443, 53], listen: [80] }, unix: [/run/a], gpu: true }"))
        #expect(sockets.problems.isEmpty)
        #expect(
            sockets.manifest?.grants == Grants(connect: [443, 53], listen: [80], unix: ["/run/a"], gpu: true)
        )
        let setting = Grants.Setting(key: "folder", access: .write)
        #expect(
            reading.manifest?.grants
                == Grants(
                    network: true,
                    processes: true,
                    read: ["/a"],
                    write: ["/b"],
                    execute: ["/c"],
                    settings: [setting]
                )
        )
    }

    @Test func `a secret setting of a manifest is read as a secret, and not as a setting with a value`() throws {
        let lines = "settings: { url: a, token: { secret: true }, key: { secret: true } }"
        let reading = read(yaml(lines + "\ngrants: { settings: [ { setting: url, access: read } ] }"))
        let manifest = try #require(reading.manifest, "\(reading.problems)")
        #expect(manifest.settings == ["url": "a"] && manifest.secrets == ["key", "token"])
    }

    @Test(arguments: [
        ("settings: { token: { secret: false } }", "without secret: true", "write { secret: true } for a secret"),
        ("settings: { token: {} }", "without secret: true", "write { secret: true } for a secret"),
        ("settings: { token: { secret: maybe } }", "not a boolean", "write true or false"),
        ("settings: { token: { secret: true, default: a } }", "is not a known key", "begin the key with x-"),
        (
            "settings: { token: { secret: true } }\ngrants: { settings: [ { setting: token, access: read } ] }",
            "which is a secret; a granted path cannot be secret", "write a default value for token"
        ),
    ])
    func `a flawed secret setting is refused with its remedy`(_ lines: String, _ problem: String, _ remedy: String) {
        let problems = read(yaml(lines)).problems
        #expect(
            problems.contains { $0.severity == .error && $0.message.contains(problem) && $0.remedy.contains(remedy) },
            "\(problems)"
        )
    }

    @Test(arguments: [
        ("grants: { read: [~/a] }", "absolute path"), ("grants: { write: [/a/../b] }", "absolute path"),
        ("grants: { settings: [ { setting: folder, access: write } ] }", "does not list under settings"),
        ("grants: { settings: [ { setting: folder } ] }", "write access: read or access: write"),
        ("grants: { disk: true }", "unknown"), ("grants: { unix: [run/a] }", "absolute path"),
        ("grants: { network: { connect: [0] } }", "not a TCP port from 1 to 65535"),
        ("grants: { network: { listen: [http] } }", "not a TCP port from 1 to 65535"),
        ("grants: { network: { bind: [443] } }", "unknown"), ("grants: { gpu: all }", "boolean"),
    ])
    func `an invalid grant refuses its manifest, and the problem has the rule for that grant`(
        line: String,
        words: String
    ) {
        let reading = read(yaml(line))
        #expect(reading.manifest == nil)
        let texts = reading.problems.map { "\($0.message); \($0.remedy); \($0.rule)" }
        #expect(texts.contains { $0.contains(words) }, "\(texts)")
    }

    @Test func `limits of a manifest are parsed, and a note reports that they are not enforced`() throws {
        let reading = read(yaml("limits: { memory: 256MiB }"))
        let manifest = try #require(reading.manifest)
        #expect(manifest.limits.memory == 256 << 20)
        #expect(reading.problems.map(\.short) == ["4 limits not-enforced"])
        #expect(reading.problems.allSatisfy { $0.severity == .note })
    }

    @Test func `repeated values in a manifest's lists are reported in a note and counted once`() throws {
        let reading = read(
            yaml("background-modes: [fetch, fetch]\npermitted-identifiers:\n- com.example.feed.a\n- com.example.feed.a")
        )
        #expect(reading.manifest?.permitted.count == 1)
        #expect(
            reading.problems.map(\.short) == [
                "4 background-modes[1] repeated-value", "7 permitted-identifiers[1] repeated-value",
            ]
        )
    }

    @Test func `the identifier of a broken manifest is still reported`() {
        let reading = read(yaml("permited: 1"))
        #expect(reading.manifest == nil)
        #expect(reading.identifier?.text == "com.example.feed")
    }
}
