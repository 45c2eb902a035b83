// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import PluginCatalog
import StatementTraits
import TaskModel
import Testing

@Suite("A vendor's Info.plist means the same as a YAML manifest")
struct PropertyListTests {
    static var whole: [String: Any] {
        [
            "CFBundleIdentifier": "com.example.feed",
            "CFBundleName": "Feed",
            "CFBundleShortVersionString": "2.1",
            "CFBundleExecutable": "Feed",
            "BGTaskSchedulerPermittedIdentifiers": ["com.example.feed.refresh", "com.example.feed.export.*"],
            "UIBackgroundModes": ["fetch", "processing"],
            "CFBundlePackageType": "APPL",
            "UILaunchScreen": ["UIColorName": "x"],
            "LSRequiresIPhoneOS": true,
            "CFBundleVersion": 7,
        ]
    }

    private func read(
        _ changes: [String: Any] = [:],
        without removed: Set<String> = [],
        format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> ManifestReading {
        var root = Self.whole
        for key in removed { root[key] = nil }
        for (key, value) in changes { root[key] = value }
        let data = try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
        return ManifestReading.read(bytes: Array(data), file: "Info.plist")
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `the keys of the table are read, the others are ignored`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let reading = try read(format: format)
        let manifest = try #require(reading.manifest)
        #expect(reading.problems.isEmpty)
        #expect(manifest.identifier.value.text == "com.example.feed")
        #expect(manifest.name == "Feed")
        #expect(manifest.version == "2.1")
        #expect(manifest.role == .main)
        #expect(manifest.library.path.value == "libFeed.so")
        #expect(
            manifest.permitted.map(\.value.description) == ["com.example.feed.refresh", "com.example.feed.export.*"]
        )
        #expect(manifest.modes == [.fetch, .processing])
    }

    @Test(arguments: [("Feed", "libFeed.so"), ("libFeed.so", "libFeed.so"), ("libFeed.so.2", "libFeed.so.2")])
    func `an executable without a suffix is a library of that name`(name: String, library: String) throws {
        #expect(try read(["CFBundleExecutable": name]).manifest?.library.path.value == library)
    }

    @Test func `a key that stands twice in the root is told, each time where it does`() throws {
        let text = """
            <?xml version="1.0"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
              <key>CFBundleIdentifier</key><string>com.example.feed</string>
              <key>CFBundleExecutable</key><string>Feed</string>
              <!-- <key>CFBundleIdentifier</key> -->
              <key>CFBundle&#73;dentifier</key><string>com.example.other</string>
              <key>Nested</key>
              <array><dict><key>CFBundleExecutable</key><string/></dict></array>
              <key>Text</key><string><![CDATA[<key>CFBundleExecutable</key>]]></string>
              <key><![CDATA[Nested]]></key><dict/>
              <key>Other</key><dict><key>a</key><true/><key>b</key><false/></dict>
            </dict>
            </plist>
            """
        #expect(
            found(text, file: "Info.plist") == [
                "8 CFBundleIdentifier duplicate-key", "12 Nested duplicate-key",
            ]
        )
    }

    @Test func `and in a binary one`() throws {
        var root = Self.whole
        root["CFBundleNamf"] = "Other"
        let data = try PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)
        var bytes = Array(data)
        let place = try #require(data.range(of: Data("CFBundleNamf".utf8)))
        bytes[place.upperBound - 1] = UInt8(ascii: "e")
        let reading = ManifestReading.read(bytes: bytes, file: "Info.plist")
        #expect(reading.manifest == nil)
        #expect(reading.problems.map(\.short) == ["- CFBundleName duplicate-key"])
    }

    @Test func `NSExtension makes an extension, whose main plugin is found by prefix`() throws {
        let reading = try read(
            ["NSExtension": ["NSExtensionPointIdentifier": "com.apple.keyboard-service"]],
            without: ["BGTaskSchedulerPermittedIdentifiers", "UIBackgroundModes"]
        )
        #expect(reading.manifest?.role == .extension)
        #expect(reading.manifest?.containing == .byPrefix)
    }

    @Test func `an extension has no identifiers and modes of its own`() throws {
        #expect(
            try read(["NSExtension": [String: Any]()]).problems.map(\.short) == [
                "- BGTaskSchedulerPermittedIdentifiers role", "- UIBackgroundModes role",
            ]
        )
    }

    @Test(.proves(70, 75), arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `entitlements stand under their own keys, and are claimed where they are true`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let gpu = "com.apple.developer.background-tasks.continued-processing.gpu"
        let study = "com.apple.developer.backgroundtasks.healthresearch"
        #expect(try read(format: format).manifest?.entitlements == [])
        #expect(
            try read([gpu: true, study: true], format: format).manifest?.entitlements
                == [.continuedProcessingGPU, .healthResearch]
        )
        #expect(try read([gpu: false, study: true], format: format).manifest?.entitlements == [.healthResearch])
        #expect(try read([gpu: "yes"], format: format).problems.map(\.short) == ["- \(gpu) wrong-type"])
        #expect(try read([study: 1], format: format).problems.map(\.short) == ["- \(study) wrong-type"])
    }

    @Test func `modes that mean nothing here are notes`() throws {
        let reading = try read(["UIBackgroundModes": ["audio", "fetch", "remote-notification", "location"]])
        #expect(reading.manifest?.modes == [.fetch])
        #expect(
            reading.problems.map(\.short) == [
                "- UIBackgroundModes[0] meaningless-mode", "- UIBackgroundModes[2] not-offered",
                "- UIBackgroundModes[3] meaningless-mode",
            ]
        )
        #expect(reading.problems.allSatisfy { $0.severity == .note })
    }

    @Test func `the rules are those of every manifest, with this format's keys`() throws {
        let reading = try read([
            "CFBundleIdentifier": "feed", "CFBundleExecutable": "../Feed", "CFBundleName": 3,
            "BGTaskSchedulerPermittedIdentifiers": ["a b", 4, "org.other.*"], "UIBackgroundModes": "fetch",
        ])
        #expect(reading.manifest == nil)
        #expect(
            Set(reading.problems.map(\.short)) == [
                "- CFBundleIdentifier identifier", "- CFBundleExecutable library-path", "- CFBundleName wrong-type",
                "- BGTaskSchedulerPermittedIdentifiers[0] identifier",
                "- BGTaskSchedulerPermittedIdentifiers[1] wrong-type", "- UIBackgroundModes wrong-type",
            ]
        )
    }

    @Test(.proves(11)) func `processing without identifiers is an error`() throws {
        #expect(
            try read(["BGTaskSchedulerPermittedIdentifiers": [String]()]).problems.map(\.short) == [
                "- UIBackgroundModes[1] processing-needs-identifiers"
            ]
        )
    }

    @Test func `required keys that are missing are named`() throws {
        let reading = try read(without: ["CFBundleIdentifier", "CFBundleExecutable"])
        #expect(
            reading.problems.map(\.short) == [
                "- CFBundleIdentifier missing-key", "- CFBundleExecutable missing-key",
            ]
        )
    }
}

@Suite("No property list brings the reader down, or keeps it busy")
struct HostilePropertyListTests {
    private func problems(_ bytes: [UInt8]) -> [DocumentProblem] {
        ManifestReading.read(bytes: bytes, file: "Info.plist").problems
    }

    @Test(arguments: ["", "hello", "{ a = b; }", "((((((((", "manifest: 1\n", "[1, 2]"])
    func `what is no property list is told so`(text: String) {
        #expect(problems(Array(text.utf8)).map(\.rule) == [.syntax])
    }

    @Test func `a syntax error has its line`() {
        let text =
            "<?xml version=\"1.0\"?>\n<plist>\n<dict>\n<key>A</key>\n<strin>b</strin>\n</dict>\n</plist>\n"
        let found = problems(Array(text.utf8))
        #expect(found.map(\.rule) == [.syntax])
        #expect(found.first?.line == 5)
    }

    @Test func `roots of other kinds, deep nesting and other encodings are refused`() {
        #expect(problems(Array("<plist><array/></plist>".utf8)).map(\.rule) == [.wrongType])
        let deep =
            "<plist>" + String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        #expect(problems(Array((deep + "</plist>").utf8)).map(\.rule) == [.syntax])
        #expect(problems(Array("<plist><dict>".utf8) + [0xe9]).map(\.rule) == [.notText])
    }

    /// - Parameter objects: encoded objects with two-byte references; the first is the root.
    private func binary(_ objects: [[UInt8]]) -> [UInt8] {
        func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(value >> ($0 * 8) & 0xff) }
        }
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        bytes += offsets.flatMap { bigEndian($0, 4) } + [0, 0, 0, 0, 0, 0, 4, 2]
        return bytes + bigEndian(objects.count, 8) + bigEndian(0, 8) + bigEndian(table, 8)
    }

    private func reference(_ object: Int) -> [UInt8] { [UInt8(object >> 8), UInt8(object & 0xff)] }

    @Test func `containers that hold each other again and again cost nothing`() {
        let root: [UInt8] = [0xd1] + reference(1) + reference(2)
        let key = [0x5f, 0x10, 17] + Array("UIBackgroundModes".utf8)
        let exploding = (0..<60).map { [0xa2] + reference(3 + $0) + reference(3 + $0) }
        let deep = (0..<50_000).map { [0xa1] + reference(3 + $0) }
        let modes = "UIBackgroundModes"
        let missing: Set = ["- CFBundleIdentifier missing-key", "- CFBundleExecutable missing-key"]
        func found(_ values: [[UInt8]]) -> Set<String> {
            Set(problems(binary([root, key] + values)).map(\.short)).subtracting(missing)
        }
        #expect(found(exploding + [[0x51, 0x62]]) == ["- \(modes)[0] wrong-type", "- \(modes)[1] wrong-type"])
        #expect(found([[0xa1] + reference(2)]) == ["- \(modes)[0] wrong-type"])
        #expect(found(deep + [[0x51, 0x62]]) == ["- \(modes)[0] wrong-type"])
        // A set of itself, which kills the system's reader.
        #expect(found([[0xc1] + reference(2)]) == ["- \(modes) wrong-type"])
    }

    @Test func `texts of both encodings are read from a binary list`() {
        let root: [UInt8] = [0xd1] + reference(1) + reference(2)
        let key = [0x5f, 0x10, 17] + Array("UIBackgroundModes".utf8)
        let modes: [[UInt8]] = [
            [0xa2] + reference(3) + reference(4), [0x55] + Array("audio".utf8), [0x61, 0x20, 0xac],
        ]
        let notes = problems(binary([root, key] + modes)).filter { $0.severity == .note }
        #expect(
            notes.map(\.message) == [
                "is \"audio\", which means nothing here", "is \"\u{20ac}\", which means nothing here",
            ]
        )
    }

    @Test func `a root that is no dictionary, and references out of the file, are refused`() {
        #expect(problems(binary([[0xa0]])).map(\.rule) == [.syntax])
        #expect(problems(binary([[0x51, 0x61]])).map(\.rule) == [.syntax])
        #expect(problems(binary([[0xdf, 0x13] + [UInt8](repeating: 0xff, count: 8)])).map(\.rule) == [.syntax])
        #expect(problems(Array("bplist00".utf8)).map(\.rule) == [.syntax])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `changed property lists are accepted or refused, never worse`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: PropertyListTests.whole,
            format: format,
            options: 0
        )
        let original = Array(data)
        var dice = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                if Int.random(in: 0..<4, using: &dice) == 0 {
                    bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &dice)))
                } else {
                    bytes[place] = UInt8.random(in: 0...255, using: &dice)
                }
            }
            let reading = ManifestReading.read(bytes: bytes, file: "Info.plist")
            #expect((reading.manifest == nil) == reading.problems.contains { $0.severity == .error })
        }
    }
}
