// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import StatementTraits
import TaskModel
import Testing

@testable import PluginCatalogue

@Suite("A vendor's Info.plist is read as a manifest")
struct PropertyListTests {
    static var whole: [String: Any] {
        [
            "bgtask-requires": ["bgtask.legacy-fetch/1"],
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
    func `supported keys of a property list are read, and other keys are ignored`(
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

    @Test(arguments: ManifestKey.allCases)
    func `each manifest key with an equivalent in property lists is read from it`(key: ManifestKey) throws {
        guard let name = key.propertyListKey else { return }
        let plain = try #require(try read().manifest)
        // The presence of the role's key counts, whatever its value.
        if key == .role {
            #expect(try read([name: 1]).problems.contains { $0.rule.rawValue == "role" })
            return
        }
        #expect(try read([name: ["a": ["b"]]]).problems.contains { $0.key == name }, "\(name) has no type")
        // The sample requests no grant and no main bundle.
        let isAbsent = key.rawValue.hasPrefix("grants.") || key == .mainBundle
        let changed = try isAbsent ? read([name: true]) : read(without: [name])
        #expect(changed.manifest != plain, "\(name) has no effect")
    }

    @Test(arguments: [("Feed", "libFeed.so"), ("libFeed.so", "libFeed.so"), ("libFeed.so.2", "libFeed.so.2")])
    func `an executable name X in a property list becomes libX.so, and the name of a library stays unchanged`(
        name: String,
        library: String
    ) throws {
        #expect(try read(["CFBundleExecutable": name]).manifest?.library.path.value == library)
    }

    @Test func `duplicate keys in the root of an XML property list are reported at their positions`() throws {
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

    @Test func `duplicate keys in the root of a binary property list are reported`() throws {
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

    @Test func `NSExtension makes a property list an extension whose main plugin is found by prefix`() throws {
        let reading = try read(
            ["NSExtension": ["NSExtensionPointIdentifier": "com.apple.keyboard-service"]],
            without: ["BGTaskSchedulerPermittedIdentifiers", "UIBackgroundModes"]
        )
        #expect(reading.manifest?.role == .extension)
        #expect(reading.manifest?.containing == .byPrefix)
    }

    @Test func `an extension's property list may not have identifiers or modes`() throws {
        #expect(
            try read(["NSExtension": [String: Any]()]).problems.map(\.short) == [
                "- BGTaskSchedulerPermittedIdentifiers role", "- UIBackgroundModes role",
            ]
        )
    }

    @Test(.proves(70, 75), arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `an entitlement key in a property list has to be a boolean and counts if true`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let gpu = "com.apple.developer.background-tasks.continued-processing.gpu"
        let study = "com.apple.developer.backgroundtasks.healthresearch"
        #expect(try read(format: format).manifest?.entitlements == [])
        #expect(
            try read([gpu: true, study: true], format: format).manifest?.entitlements
                == [.continuedProcessingGPU, .healthResearch]
        )
        #expect(try read([gpu: true], format: format).manifest?.grants.gpu == true)
        #expect(try read([gpu: false, study: true], format: format).manifest?.entitlements == [.healthResearch])
        #expect(try read([gpu: "yes"], format: format).problems.map(\.short) == ["- \(gpu) wrong-type"])
        #expect(try read([study: 1], format: format).problems.map(\.short) == ["- \(study) wrong-type"])
    }

    @Test func `unsupported modes in a property list cause notes`() throws {
        let reading = try read(["UIBackgroundModes": ["audio", "fetch", "remote-notification", "location"]])
        #expect(reading.manifest?.modes == [.fetch, .remoteNotification])
        #expect(
            reading.problems.map(\.short) == [
                "- UIBackgroundModes[0] meaningless-mode", "- UIBackgroundModes[3] meaningless-mode",
            ]
        )
        #expect(reading.problems.allSatisfy { $0.severity == .note })
    }

    @Test func `problems of a property list follow the rules of all manifests and name the keys of the property list`()
        throws
    {
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

    @Test(.proves(11)) func `the mode processing without permitted identifiers in a property list is an error`() throws
    {
        #expect(
            try read(["BGTaskSchedulerPermittedIdentifiers": [String]()]).problems.map(\.short) == [
                "- UIBackgroundModes[1] processing-needs-identifiers"
            ]
        )
    }

    @Test func `missing required keys of a property list are reported by name`() throws {
        let reading = try read(without: ["CFBundleIdentifier", "CFBundleExecutable"])
        #expect(
            reading.problems.map(\.short) == [
                "- CFBundleIdentifier missing-key", "- CFBundleExecutable missing-key",
            ]
        )
    }
}

@Suite("Hostile property lists are read or refused without a crash")
struct HostilePropertyListTests {
    private func problems(_ bytes: [UInt8]) -> [DocumentProblem] {
        ManifestReading.read(bytes: bytes, file: "Info.plist").problems
    }

    @Test(arguments: ["", "hello", "{ a = b; }", "((((((((", "manifest: 1\n", "[1, 2]"])
    func `a file that is neither an XML nor a binary property list is refused as a syntax error`(text: String) {
        #expect(problems(Array(text.utf8)).map(\.rule) == [.syntax])
    }

    @Test func `a syntax error in a property list has its line`() {
        let text =
            "<?xml version=\"1.0\"?>\n<plist>\n<dict>\n<key>A</key>\n<strin>b</strin>\n</dict>\n</plist>\n"
        let found = problems(Array(text.utf8))
        #expect(found.map(\.rule) == [.syntax])
        #expect(found.first?.line == 5)
    }

    @Test func `an XML property list whose root is no dictionary, or with deep nesting or invalid UTF-8, is refused`() {
        #expect(problems(Array("<plist><array/></plist>".utf8)).map(\.rule) == [.wrongType])
        let deep =
            "<plist>" + String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        #expect(problems(Array((deep + "</plist>").utf8)).map(\.rule) == [.syntax])
        #expect(problems(Array("<plist><dict>".utf8) + [0xe9]).map(\.rule) == [.notText])
    }

    /// The bytes of a binary property list.
    ///
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

    @Test func `binary property lists with containers that refer to each other are refused without expansion`() {
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
        // A set that contains itself, which crashes the system's reader.
        #expect(found([[0xc1] + reference(2)]) == ["- \(modes) wrong-type"])
    }

    @Test func `ASCII and UTF-16 strings are read from a binary property list`() {
        let root: [UInt8] = [0xd1] + reference(1) + reference(2)
        let key = [0x5f, 0x10, 17] + Array("UIBackgroundModes".utf8)
        let modes: [[UInt8]] = [
            [0xa2] + reference(3) + reference(4), [0x55] + Array("audio".utf8), [0x61, 0x20, 0xac],
        ]
        let notes = problems(binary([root, key] + modes)).filter { $0.severity == .note }
        #expect(
            notes.map(\.message) == [
                "is \"audio\", which has no effect", "is \"\u{20ac}\", which has no effect",
            ]
        )
    }

    @Test func `a binary property list whose root is no dictionary, or that refers outside the file, is refused`() {
        #expect(problems(binary([[0xa0]])).map(\.rule) == [.syntax])
        #expect(problems(binary([[0x51, 0x61]])).map(\.rule) == [.syntax])
        #expect(problems(binary([[0xdf, 0x13] + [UInt8](repeating: 0xff, count: 8)])).map(\.rule) == [.syntax])
        #expect(problems(Array("bplist00".utf8)).map(\.rule) == [.syntax])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `a property list with random changes is accepted or refused without a crash`(
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
