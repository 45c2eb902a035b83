// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("Hostile manifest texts are read without a crash")
struct HostileYAMLTests {
    /// Processor time of the calling thread in seconds.
    private static var threadTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }

    @Test func `every duplicate key of a manifest is reported at its second position`() {
        let text = """
            manifest: 1
            name: a
            identifier: com.example.feed
            "name": b
            library: libFeed.so
            limits: { memory: 1MiB, memory: 2MiB, cpu: 1 }
            identifier: com.example.other
            name: c
            rolle: main
            """
        #expect(
            found(text) == [
                "4 name duplicate-key", "6 limits not-enforced", "6 limits.memory duplicate-key",
                "6 limits.cpu unknown-key",
                "7 identifier duplicate-key", "8 name duplicate-key", "9 rolle unknown-key",
            ]
        )
        let problems = read(text).problems
        #expect(problems[2].column == 25)
        #expect(problems[3].column == 39)
        #expect(problems[0].description == "feed.yaml:4:1: name: is already on line 2; remove one of the two")
    }

    @Test func `a manifest with many duplicate keys is refused`() {
        let text = yaml((0..<40).map { "k\($0): 1\nk\($0): 2" }.joined(separator: "\n"))
        let reading = read(text)
        #expect(reading.manifest == nil)
        #expect(reading.problems.contains { $0.rule == .duplicateKey })
    }

    /// Time that grows with the square of the number of handlers would exceed the limit. It is processor time of this
    /// thread, which the load of the machine does not extend.
    @Test
    func `a manifest with thousands of handlers is refused with a problem for each unlisted identifier`() {
        let count = 3_000
        let names = (0..<count).map { "  - com.example.feed.listed\($0)" }
        let handlers = (0..<count).map { index in
            "  - { identifier: com.example.feed.bound\(index), symbol: run, arguments: [{ setting: other\(index) }],"
                + " returns: void }"
        }
        let settings = (0..<count).map { "  key\($0): value" }
        let text = [
            "manifest: 1", "identifier: com.example.feed", "library: libFeed.so", "background-modes: [processing]",
            "permitted-identifiers:",
        ]
        let lines = text + names + ["settings:"] + settings + ["handlers:"] + handlers
        let began = Self.threadTime
        let rules = read(lines.joined(separator: "\n")).problems.map(\.rule)
        #expect(Self.threadTime - began < 60)
        #expect(rules.count { $0 == "handler-arguments" } == count)
        #expect(rules.count { $0 == "handler-identifier" } >= count)
    }

    @Test(arguments: ["", "\n\n", "# nothing\n", "---\n"])
    func `an empty manifest is refused`(text: String) {
        let problems = read(text).problems
        #expect(problems.map(\.rule) == [.wrongType])
    }

    @Test(arguments: [("hello", "contains \"hello\" instead of keys"), ("- a\n- b", "contains a list instead of keys")])
    func `a manifest whose root is not a mapping is refused with the kind of its root`(text: String, message: String) {
        #expect(read(text).problems.map(\.message) == [message])
    }

    @Test func `YAML syntax errors of a manifest are reported at their line`() {
        #expect(found("manifest: 1\nname: \"open\nlibrary: x") == ["3 - syntax"])
        #expect(found("manifest: 1\nextensions: [a, b\nname: x") == ["3 - syntax"])
        #expect(found("manifest: 1\n name: x") == ["2 - syntax"])
        #expect(found("manifest: 1\nname: a: b") == ["2 - syntax"])
        #expect(found("manifest: 1\n---\nmanifest: 1\n") == ["2 - syntax"])
    }

    @Test func `a tab in a manifest's indentation is reported with a remedy`() {
        let problem = read("manifest: 1\nlimits:\n\tmemory: 1MiB\n").problems.first
        #expect(problem?.short == "3 - syntax")
        #expect(problem?.message == "is not YAML: the line has a tab where only spaces are allowed")
        #expect(problem?.remedy == "write spaces instead")
    }

    @Test func `a character that YAML does not permit is reported with its number`() {
        let problem = read("manifest: 1\nname: a\u{9b}b\n").problems.first
        #expect(problem?.message.hasSuffix("U+009B") == true)
    }

    @Test func `anchors and aliases in a manifest are refused at their position`() {
        #expect(found(yaml("name: &a Feed\nversion: *a")) == ["4 name no-aliases"])
        #expect(found(yaml("version: *nobody")) == ["4 - no-aliases"])
        #expect(found(yaml("x-base: &b { memory: 1MiB }\nlimits:\n  <<: *b")).contains("4 x-base no-aliases"))
    }

    @Test func `nested aliases in a manifest are refused without being expanded`() {
        var text = "a: &a [x,x,x,x,x,x,x,x,x]\n"
        for (last, level) in zip("abcdefghijklmnopqrstuvwxy", "bcdefghijklmnopqrstuvwxyz") {
            text += "\(level): &\(level) [\((0..<9).map { _ in "*\(last)" }.joined(separator: ","))]\n"
        }
        #expect(found(text + "? *z\n: 1\n").first?.hasSuffix("no-aliases") == true)
        #expect(found("a: &a [*a, *a]\n").contains { $0.hasSuffix("no-aliases") })
    }

    @Test func `identifier patterns with an asterisk are not taken for YAML aliases`() {
        let list = (0..<30).map { "- com.example.feed.p\($0).*" }.joined(separator: "\n")
        #expect(read(yaml("permitted-identifiers:\n\(list)")).manifest?.permitted.count == 30)
    }

    @Test(arguments: [70, 990, 5_000, 300_000])
    func `deep nesting in a manifest is refused`(depth: Int) {
        let flow = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let block = String(repeating: "- ", count: depth) + "x"
        let keys = String(repeating: "? ", count: depth) + "x"
        #expect(read("x-a: \(flow)").problems.contains { $0.rule == .tooDeep })
        #expect(read("x-a:\n \(block)").problems.contains { $0.rule == .tooDeep })
        #expect(read(keys).manifest == nil)
    }

    @Test func `YAML tags of types other than strings are refused in a manifest`() {
        #expect(found(yaml("version: !!int 3")) == ["4 version no-tags"])
        #expect(found(yaml("extensions: !set [com.example.feed.x]")) == ["4 extensions no-tags"])
        #expect(found(yaml("name: !!binary aGVsbG8=")) == ["4 name no-tags"])
        #expect(found(yaml("name: !!str 12")).isEmpty)
    }

    @Test func `a sequence or a mapping as a key of a manifest is refused`() {
        #expect(found(yaml("? [a, b]\n: 1")) == ["4 - wrong-type"])
        #expect(found(yaml("{ a: 1 }: 2")) == ["4 - wrong-type"])
    }

    @Test func `manifests with binary data, control characters or another encoding than UTF-8 are refused`() {
        #expect(found("manifest: 1\nname: a\u{0}b") == ["2 - not-text"])
        #expect(found("manifest: 1\nname: a\u{1b}[2J") == ["2 - not-text"])
        #expect(found(yaml("name: \"a\\0b\"")) == ["4 name wrong-value"])
        let latin = ManifestReading.read(bytes: Array("manifest: 1\nname: ".utf8) + [0xe9, 0x0a], file: "a.yaml")
        #expect(latin.problems.map(\.short) == ["2 - not-text"])
        let wide = ManifestReading.read(bytes: [0xff, 0xfe, 0x6d, 0x00], file: "a.yaml")
        #expect(wide.problems.map(\.message) == ["is UTF-16 text"])
    }

    @Test func `a byte order mark and CRLF line ends do not shift the positions of a manifest's problems`() {
        #expect(found("\u{feff}" + yaml("rolle: main")) == ["4 rolle unknown-key"])
        #expect(found(yaml("rolle: main").split(separator: "\n").joined(separator: "\r\n")) == ["4 rolle unknown-key"])
        #expect(read("\u{feff}nmae: 1").problems.first?.column == 1)
    }

    @Test func `a manifest larger than the limit is refused`() throws {
        try Workshop.with { workshop in
            let fitting = try workshop.write(yaml("x-a: " + String(repeating: "a", count: (1 << 20) - 200)), "a.yaml")
            let larger = try workshop.write(yaml("x-a: " + String(repeating: "a", count: 1 << 20)), "b.yaml")
            #expect(ManifestReading.read(path: fitting).manifest != nil)
            #expect(ManifestReading.read(path: larger).problems.map(\.rule) == [.tooLarge])
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a manifest with random changes is accepted or refused without a crash`(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let original = Array((ManifestTests.whole + "\nlimits: { memory: 1MiB }\nx-a: &a [*a]\n").utf8)
        let spice = Array("\t\n\r[]{},:?-&*!|>'\"%@`#~\\ \u{0}\u{7f}é\u{85}\u{2028}aA0".utf8)
        for _ in 0..<1_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: bytes[place] = spice.randomElement(using: &dice) ?? 0
                case 1: bytes.insert(spice.randomElement(using: &dice) ?? 0, at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &dice)))
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
                }
            }
            let reading = ManifestReading.read(bytes: bytes, file: "fuzz.yaml")
            #expect((reading.manifest == nil) == reading.problems.contains { $0.severity == .error })
        }
    }
}
