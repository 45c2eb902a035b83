// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("A host refuses a manifest that requires a feature that the host does not have")
struct RequirementTests {
    private static let host = ManifestHost(architecture: "x86_64", features: ["bgtask.one/1", "manifest.two"])

    private func read(_ line: String) -> ManifestReading {
        ManifestReading.read(bytes: Array(yaml(line).utf8), file: "feed.yaml", for: Self.host)
    }

    @Test func `a manifest that requires only features of the host is accepted with its requirements`() throws {
        let manifest = try #require(read("requires: [manifest.two, bgtask.one/1]").manifest)
        #expect(manifest.requires == ["manifest.two", "bgtask.one/1"])
        #expect(read("requires: []").manifest?.requires == [])
        #expect(read("").manifest?.requires == [])
    }

    @Test func `each missing feature is reported at its place, with the features of the host and the upgrade`() throws {
        let reading = read("requires:\n  - bgtask.nine/1\n  - bgtask.one/1\n  - bgtask.ten/1")
        #expect(reading.problems.map(\.short) == ["5 requires[0] requires", "7 requires[2] requires"])
        let problem = try #require(reading.problems.first)
        #expect(problem.message.contains("\"bgtask.nine/1\"") && problem.message.contains("bgtask.one/1, manifest.two"))
        #expect(problem.remedy.hasPrefix("upgrade bgtaskd to a release with this feature"))
    }

    @Test func `a misspelt feature is refused with the similar feature of the host`() throws {
        let problem = try #require(read("requires: [bgtask.one/2]").problems.first)
        #expect(problem.rule == .requires && problem.remedy.contains("write \"bgtask.one/1\" if that feature is meant"))
    }

    @Test func `a missing feature is reported alone, without the manifest's unknown keys and invalid values`() {
        let reading = read("requires: [manifest.later]\nlater: { a.b: 3 }\nrole: agent\nlibrary: [a]")
        #expect(reading.problems.map(\.rule) == [.requires])
        #expect(reading.manifest == nil && reading.library == nil && reading.identifier?.text == "com.example.feed")
    }

    @Test func `another format version is reported before a missing feature`() {
        #expect(read("requires: [manifest.later]\nmanifest: 2").problems.map(\.rule) == [.format])
    }

    @Test(arguments: [
        ("requires: manifest.two", "4 requires wrong-type"), ("requires: { manifest.two: 1 }", "4 requires wrong-type"),
        ("requires: [[a]]", "4 requires[0] wrong-type"), ("requires: [\"\"]", "4 requires[0] requires"),
    ])
    func `a requirement of another type is refused at its place`(line: String, expected: String) {
        #expect(read(line).problems.map(\.short) == [expected])
    }

    @Test func `a feature that is required twice causes a note`() {
        let reading = read("requires: [manifest.two, manifest.two]")
        #expect(reading.problems.map(\.short) == ["4 requires[1] repeated-value"])
        #expect(reading.manifest?.requires == ["manifest.two"])
    }
}
