// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import StatementTraits
import TaskModel
import Testing

@Suite("The rules of manifests report line, key and remedy")
struct ManifestRuleTests {
    @Test func `all problems of a manifest are reported at once, in the order of the file`() {
        let text = """
            manifest: 1
            identifier: feed
            nmae: Feed
            version: [1, 4]
            role: master
            library: ../libFeed.so
            sha256: abc
            background-modes: [fetch, procesing, push]
            permitted-identifiers:
              - com.example.feed.a
              - com..b
              - org.other.*
              - com.*.c
              - 
            extensions: [x]
            requires: gpu
            settings: { list: [1] }
            limits: { memory: 256MB, cpu: 1 }
            grants: { network: maybe, read: [etc], settings: [ { setting: list, access: own } ] }
            """
        #expect(
            found(text) == [
                "2 identifier identifier", "3 nmae unknown-key", "4 version wrong-type", "5 role wrong-value",
                "6 library library-path", "7 sha256 wrong-value", "8 background-modes[1] wrong-value",
                "8 background-modes[2] wrong-value", "11 permitted-identifiers[1] identifier",
                "13 permitted-identifiers[3] identifier", "14 permitted-identifiers[4] wrong-type",
                "15 extensions[0] identifier", "16 requires wrong-type", "17 settings.list wrong-type",
                "18 limits not-enforced", "18 limits.memory wrong-type", "18 limits.cpu unknown-key",
                "19 grants.network wrong-type", "19 grants.read[0] wrong-value",
                "19 grants.settings[0].access wrong-value",
            ]
        )
    }

    @Test func `an unknown grant in a manifest is an error with the most similar known one`() throws {
        let problem = try #require(read(yaml("grants: { health-reserch: true }")).problems.first)
        #expect(problem.severity == .error && problem.rule == .unknownKey && problem.key == "grants.health-reserch")
        #expect(problem.remedy.contains("write \"health-research\""))
    }

    @Test func `a grant of health research without the mode processing causes a note`() {
        let useless = read(yaml("grants: { health-research: true, gpu: true }"))
        #expect(useless.manifest?.entitlements == [.healthResearch, .continuedProcessingGPU])
        #expect(useless.problems.map(\.short) == ["4 grants.health-research meaningless-grant"])
        #expect(useless.problems.allSatisfy { $0.severity == .note })
        #expect(read(yaml("grants: { health-research: false }")).problems.isEmpty)
        let used = """
            background-modes: [processing]
            permitted-identifiers: [com.example.feed.study, com.example.feed.export.*]
            grants: { health-research: true, gpu: true }
            """
        #expect(read(yaml(used)).problems.isEmpty)
    }

    @Test func `an extension's manifest may not grant health research, and its GPU grant gives no entitlement`() {
        let text = "role: extension\ncontaining-plugin: com.example\ngrants: "
        #expect(found(yaml(text + "{ health-research: true }")) == ["6 grants.health-research role"])
        let manifest = read(yaml(text + "{ gpu: true, health-research: false }")).manifest
        #expect(manifest?.grants.gpu == true && manifest?.entitlements == [])
    }

    @Test(arguments: ["manifest", "identifier", "library"])
    func `a missing required key of a manifest is reported by name`(key: String) {
        #expect(found(yaml(without: [key])) == ["1 \(key) missing-key"])
    }

    @Test func `a manifest of another format is refused with that problem only`() throws {
        let newer = read(yaml("manifest: 2\nnovelty: true"))
        let problem = try #require(newer.problems.first)
        #expect(newer.problems.count == 1)
        #expect(
            problem.description == """
                feed.yaml:3:11: manifest: is format 2; this version of bgtask reads format 1; \
                upgrade bgtaskd, or install a manifest of format 1
                """
        )
        #expect(found(yaml("manifest: 0")) == ["3 manifest manifest-format"])
        #expect(found(yaml("manifest: one")) == ["3 manifest wrong-type"])
    }

    @Test(arguments: ["feed", "com..feed", ".com.feed", "com.example.féed", "com.example feed"])
    func `a plugin identifier that is not a reverse-DNS name is refused`(name: String) {
        #expect(found(yaml("identifier: \"\(name)\"")) == ["3 identifier identifier"])
    }

    @Test func `a plugin identifier has at most 255 bytes`() {
        let name = "com." + String(repeating: "a", count: 251)
        #expect(read(yaml("identifier: \(name)")).manifest != nil)
        #expect(found(yaml("identifier: \(name)a")) == ["3 identifier identifier"])
    }

    @Test(arguments: [
        "/usr/lib/libFeed.so", "../libFeed.so", "a/../../libFeed.so", "a//b.so", "./libFeed.so", "a/", "\"\"",
    ])
    func `a manifest's library path that is empty, absolute, not normalized or outside its directory is refused`(
        path: String
    ) {
        #expect(found(yaml("library: \(path)")) == ["3 library library-path"])
    }

    @Test func `a manifest's library may be in a subdirectory`() {
        #expect(read(yaml("library: feed/libFeed.so")).manifest?.library.path.value == "feed/libFeed.so")
    }

    @Test(.proves(10)) func `a permitted pattern has to begin with the plugin's identifier as complete components`() {
        let accepted = yaml("permitted-identifiers: [com.example.feed.*, com.example.feed.export.*]")
        let refused = yaml("permitted-identifiers: [com.example.*, com.example.feeder.*, org.other.*]")
        #expect(found(accepted).isEmpty)
        #expect(found(refused) == (0...2).map { "4 permitted-identifiers[\($0)] pattern-prefix" })
    }

    @Test func `a permitted identifier without a star may have a prefix other than the plugin's identifier`() {
        #expect(found(yaml("permitted-identifiers: [org.other.task]")).isEmpty)
    }

    @Test func `a permitted identifier with one label causes a note`() throws {
        let reading = read(yaml("permitted-identifiers: [refresh, com.example.feed.clean]"))
        #expect(reading.manifest?.permitted.map(\.value.description) == ["refresh", "com.example.feed.clean"])
        let note = try #require(reading.problems.first)
        #expect(reading.problems.map(\.short) == ["4 permitted-identifiers[0] one-label"] && note.severity == .note)
        #expect(note.remedy == "rename it to a reverse-DNS name such as com.example.feed.refresh")
    }

    @Test(arguments: ["started", "refresh.*", "\"\"", "re fresh"])
    func `the name of an event, a pattern after one label and a malformed label are no permitted identifiers`(
        name: String
    ) {
        #expect(found(yaml("permitted-identifiers: [\(name)]")) == ["4 permitted-identifiers[0] identifier"])
    }

    @Test(.proves(11)) func `the mode processing without permitted identifiers is an error at the mode`() {
        let rule = "background-modes[1] processing-needs-identifiers"
        #expect(found(yaml("background-modes: [fetch, processing]")) == ["4 \(rule)"])
        #expect(found(yaml("background-modes: [fetch, processing]\npermitted-identifiers: []")) == ["4 \(rule)"])
    }

    @Test func `invalid permitted identifiers are not also reported as missing`() {
        #expect(
            found(yaml("background-modes: [processing]\npermitted-identifiers: [x..y]"))
                == ["5 permitted-identifiers[0] identifier"]
        )
        #expect(
            found(yaml("background-modes: [processing]\npermitted-identifiers: com.example.feed.a"))
                == ["5 permitted-identifiers wrong-type"]
        )
    }

    @Test func `the mode remote-notification needs no identifier, and no library with bound functions has it`() {
        let reading = read(yaml("background-modes: [remote-notification]"))
        #expect(reading.manifest?.modes == [.remoteNotification] && reading.problems.isEmpty)
        let bound = """
            background-modes: [processing, remote-notification]
            permitted-identifiers: [com.example.feed.a]
            handlers: [ { identifier: com.example.feed.a, symbol: run, arguments: [], returns: void } ]
            """
        let problems = read(yaml(bound)).problems.filter { $0.severity == .error }
        #expect(problems.map(\.rule) == [.handlers])
        #expect(problems.first?.message.contains("receives no pushes") == true)
    }

    @Test func `the kind push in place of a mode is refused with the mode`() {
        let problem = read(yaml("background-modes: [push]")).problems.first
        #expect(problem?.remedy == "write \"remote-notification\", the mode for push requests")
    }

    @Test func `the identifier of a push is no permitted identifier`() {
        #expect(
            found(yaml("permitted-identifiers: [\"com.example.feed:push\"]")) == [
                "4 permitted-identifiers[0] identifier"
            ]
        )
    }

    @Test func `an extension's manifest may not have identifiers, modes, handlers or extensions`() {
        let text = yaml(
            """
            role: extension
            containing-plugin: com.example.main
            background-modes: [processing]
            permitted-identifiers: [com.example.feed.a]
            extensions: [com.example.feed.b]
            handlers: []
            """
        )
        #expect(
            found(text) == [
                "6 background-modes role", "7 permitted-identifiers role", "8 extensions role",
                "9 handlers role",
            ]
        )
    }

    @Test func `an extension's manifest has to name a main plugin, and a main plugin's may not`() {
        #expect(found(yaml("role: extension")) == ["1 containing-plugin missing-key"])
        #expect(found(yaml("containing-plugin: com.example.main")) == ["4 containing-plugin role"])
        #expect(found(yaml("role: extension\ncontaining-plugin: main")) == ["5 containing-plugin identifier"])
        #expect(found(yaml("role: extension\ncontaining-plugin: com.example.feed")) == ["5 containing-plugin role"])
        #expect(found(yaml("extensions: [com.example.feed]")) == ["4 extensions[0] role"])
    }

    @Test func `a plugin's name and version are one line of 1 to 255 bytes`() {
        for key in ["name", "version"] {
            let longest = String(repeating: "v", count: 255)
            #expect(found(yaml("\(key): \(longest)")).isEmpty)
            for text in ["", "two\\nlines", longest + "v"] {
                #expect(found(yaml("\(key): \"\(text)\"")) == ["4 \(key) wrong-value"])
            }
        }
    }

    @Test(arguments: [
        ("permited-identifiers", "permitted-identifiers"), ("background_modes", "background-modes"),
        ("Identifier", "identifier"), ("libary", "library"), ("containingPlugin", "containing-plugin"),
        ("sha-256", "sha256"), ("vesrion", "version"),
    ])
    func `an unknown key of a manifest is refused with the most similar known key`(written: String, meant: String) {
        let problem = read(yaml("\(written): 1")).problems.first { $0.rule == .unknownKey }
        #expect(problem?.key == written)
        #expect(problem?.remedy == "write \"\(meant)\", or begin the key with x- to keep it as a comment")
    }

    @Test func `an unknown key of a manifest without a similar known key is refused with a list of known keys`() {
        let remedy = read(yaml("schedule-and-more: 1")).problems.first?.remedy ?? ""
        for key in ["identifier", "role", "grants", "handlers", "containing-plugin"] { #expect(remedy.contains(key)) }
    }

    @Test func `manifest keys with the prefix x- are ignored at the root and inside a mapping`() {
        #expect(read(yaml("x-a: [1, { b: 2 }]\nlimits: { x-why: soon, memory: 1MiB }")).manifest != nil)
    }

    @Test func `the message of a manifest problem has file, position, key, value and remedy`() {
        #expect(
            read(yaml("role: mian"), file: "/etc/bgtask/manifests/feed.yaml").problems.map(\.description) == [
                """
                /etc/bgtask/manifests/feed.yaml:4:7: role: is "mian", which is not one of main, extension; write "main"
                """
            ]
        )
    }
}
