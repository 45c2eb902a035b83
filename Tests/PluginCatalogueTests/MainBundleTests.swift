// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import Testing

@testable import PluginCatalogue

@Suite("A manifest that requests a main bundle gives the contents of its Info.plist")
struct MainBundleTests {
    private func dictionary(_ lines: String) throws -> [String: Any] {
        let bytes = try #require(read(yaml(lines)).manifest?.mainBundle)
        let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        return try #require(list as? [String: Any])
    }

    @Test func `Info.plist of a YAML manifest has its identifier, name, version, identifiers and modes`() throws {
        let list = try dictionary(
            """
            main-bundle: true
            name: "Feed & <Co>"
            version: 1.4.0
            background-modes: [processing, fetch]
            permitted-identifiers: [com.example.feed.refresh, com.example.feed.export.*]
            """
        )
        #expect(list["CFBundleIdentifier"] as? String == "com.example.feed")
        #expect(list["CFBundleName"] as? String == "Feed & <Co>")
        #expect(list["CFBundleDisplayName"] as? String == "Feed & <Co>")
        #expect(list["CFBundleShortVersionString"] as? String == "1.4.0")
        #expect(list["CFBundleVersion"] as? String == "1.4.0")
        #expect(list["CFBundleExecutable"] as? String == "bgtask-runner")
        #expect(list["UIBackgroundModes"] as? [String] == ["fetch", "processing"])
        #expect(
            list["BGTaskSchedulerPermittedIdentifiers"] as? [String]
                == ["com.example.feed.refresh", "com.example.feed.export.*"]
        )
    }

    @Test func `own keys of a main bundle keep the types of unquoted numbers and booleans, and replace derived keys`()
        throws
    {
        let list = try dictionary(
            #"main-bundle: { CFBundleVersion: "42", Count: 7, Zeros: 007, On: true, Text: "true", Lines: "a\n\u0001b" }"#
        )
        #expect(list["CFBundleVersion"] as? String == "42")
        #expect(list["Count"] as? Int == 7 && list["Zeros"] as? String == "007")
        #expect(list["On"] as? Bool == true && list["Text"] as? String == "true")
        #expect(list["Lines"] as? String == "a\n\u{FFFD}b")
    }

    @Test(arguments: ["", "main-bundle: false"])
    func `a manifest without main-bundle or with false requests no main bundle`(line: String) throws {
        let manifest = try #require(read(yaml(line)).manifest)
        #expect(manifest.mainBundle == nil)
    }

    @Test(arguments: ["{ A: [b] }", "{ A: { b: c } }", "{ A: ~ }"])
    func `a key of Info.plist with a list, a mapping or no value is refused with its place`(value: String) {
        let problems = read(yaml("main-bundle: \(value)")).problems
        #expect(problems.map(\.short) == ["4 main-bundle.A wrong-type"])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `Info.plist of a property list that requests a main bundle is the property list itself`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        var root = PropertyListTests.whole
        root["bgtask-main-bundle"] = true
        let data = try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
        let reading = ManifestReading.read(bytes: Array(data), file: "Info.plist")
        #expect(reading.problems.isEmpty && reading.manifest?.mainBundle == Array(data))
    }
}
