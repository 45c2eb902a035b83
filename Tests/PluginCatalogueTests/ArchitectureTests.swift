// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import Testing

@Suite("A manifest may name one library for each architecture, and a host uses the one of its machine")
struct ArchitectureTests {
    private static let own = String(repeating: "a", count: 64)
    private static let other = String(repeating: "b", count: 64)
    private static let libraries = "library: { x86_64: x86_64/libFeed.so, aarch64: aarch64/libFeed.so }"

    private func read(_ lines: String, on architecture: String = "x86_64") -> ManifestReading {
        let text = lines.replacing("OWN", with: Self.own).replacing("OTHER", with: Self.other)
        let host = ManifestHost(architecture: architecture, features: [])
        return ManifestReading.read(bytes: Array(yaml(text).utf8), file: "feed.yaml", for: host)
    }

    private func found(_ lines: String) -> [String] { read(lines).problems.map(\.short) }

    // MARK: The library

    @Test(arguments: ["x86_64", "aarch64"])
    func `the library of the machine is chosen, with the position of its key in the manifest`(architecture: String)
        throws
    {
        let library = try #require(read(Self.libraries, on: architecture).manifest).library
        #expect(library.path.value == "\(architecture)/libFeed.so" && library.path.key == "library.\(architecture)")
        #expect(library.path.position != nil && library.architecture == architecture)
        #expect(library.others.map(\.architecture) == [architecture == "x86_64" ? "aarch64" : "x86_64"])
        #expect(library.architectures == ["aarch64", "x86_64"])
    }

    @Test func `a manifest with one library for every machine has no architectures`() throws {
        let library = try #require(read("library: libFeed.so").manifest).library
        #expect(library.architecture == nil && library.others.isEmpty && library.architectures.isEmpty)
    }

    @Test func `a manifest without a library for the machine is refused with the machine's architecture`() throws {
        let reading = read(Self.libraries, on: "riscv64")
        let problem = try #require(reading.problems.first)
        #expect(reading.manifest == nil && reading.library == nil && reading.problems.count == 1)
        #expect(problem.short == "3 library architecture")
        #expect(problem.message.contains("no library for riscv64") && problem.message.contains("x86_64, aarch64"))
        #expect(problem.remedy.contains("riscv64: PATH"))
        #expect(found("library: {}") == ["3 library architecture"])
    }

    @Test func `a library for an architecture that bgtask does not support causes a note; the manifest is accepted`() {
        let reading = read("library: { x86_64: a.so, loongarch64: b.so }")
        #expect(reading.problems.map(\.short) == ["3 library.loongarch64 architecture"])
        #expect(reading.problems.first?.severity == .note && reading.manifest?.library.path.value == "a.so")
    }

    @Test(arguments: [
        ("library: { amd64: a.so }", "3 library.amd64 wrong-value"),
        ("library: { x86_64: a.so, x86-64: b.so }", "3 library.x86-64 wrong-value"),
        ("library: { x86_64: a.so, \"64 bit\": b.so }", "3 library.64 bit wrong-value"),
        ("library: { x86_64: [a.so] }", "3 library.x86_64 wrong-type"),
        ("library: { x86_64: ../a.so, aarch64: b.so }", "3 library.x86_64 library-path"),
        ("library: { x86_64: a.so, aarch64: /b.so }", "3 library.aarch64 library-path"),
        ("library: [a.so]", "3 library wrong-type"),
    ])
    func `an invalid value of the key library is refused at its place`(line: String, expected: String) {
        #expect(found(line) == [expected])
    }

    @Test func `another spelling of an architecture is refused with the name to write`() {
        #expect(read("library: { amd64: a.so }").problems.first?.remedy.contains("write \"x86_64\"") == true)
    }

    @Test func `keys with the prefix x- in the mappings of library and sha256 are ignored`() {
        let lines = "library: { x86_64: a.so, x-note: [1] }\nsha256: { x86_64: OWN, x-by: { a: b } }"
        #expect(read(lines).manifest?.library.architectures == ["x86_64"] && found(lines).isEmpty)
    }

    // MARK: Digests

    @Test(arguments: ["x86_64", "aarch64"])
    func `the digest of the machine's library is chosen`(architecture: String) throws {
        let reading = read("\(Self.libraries)\nsha256: { x86_64: OWN, aarch64: OTHER }", on: architecture)
        let library = try #require(reading.manifest).library
        #expect(library.pinnedDigest?.value == (architecture == "x86_64" ? Self.own : Self.other))
        #expect(library.others.map(\.pinnedDigest?.value) == [architecture == "x86_64" ? Self.other : Self.own])
        #expect(reading.problems.isEmpty)
    }

    @Test(arguments: [
        ("\(libraries)\nsha256: OWN", "4 sha256 wrong-type"),
        ("library: a.so\nsha256: { x86_64: OWN }", "4 sha256 wrong-value"),
        ("\(libraries)\nsha256: {}", "4 sha256 wrong-value"),
        ("\(libraries)\nsha256: { x86_64: OWN, aarch64: OTHER, riscv64: OTHER }", "4 sha256.riscv64 wrong-value"),
        ("\(libraries)\nsha256: { x86_64: OWN, aarch64: abc }", "4 sha256.aarch64 wrong-value"),
    ])
    func `digests of another shape or of other architectures than the library are refused`(
        lines: String,
        expected: String
    ) {
        #expect(found(lines) == [expected])
    }

    @Test func `a digest that is missing for one architecture leaves its library unpinned and causes a note`() throws {
        let lines = "\(Self.libraries)\nsha256: { aarch64: OTHER }"
        #expect(found(lines) == ["4 sha256 sha256"])
        #expect(try #require(read(lines).manifest).library.isPinned == false)
        #expect(try #require(read(lines, on: "aarch64").manifest).library.isPinned)
        #expect(read(lines).problems.first?.message.contains("no digest for x86_64") == true)
    }

    // MARK: Files

    @Test
    func `a file with one digest belongs to all architectures, a file with digests by architecture to these alone`()
        throws
    {
        let pins = "\(Self.libraries)\nsha256: { x86_64: OWN, aarch64: OTHER }\n"
        let lines =
            pins + "files: { colors: OWN, libpalette.so: { x86_64: OWN, aarch64: OTHER }, simd: { aarch64: OWN } }"
        func files(on architecture: String) throws -> [String] {
            try #require(read(lines, on: architecture).manifest).library.files.map {
                "\($0.name) \($0.digest.value.first ?? " ")"
            }
        }
        #expect(try files(on: "x86_64") == ["colors a", "libpalette.so a"])
        #expect(try files(on: "aarch64") == ["colors a", "libpalette.so b", "simd a"])
    }

    @Test(arguments: [
        ("files: { a: { riscv64: OWN } }", "5 files.a.riscv64 files"), ("files: { a: {} }", "5 files.a files"),
        ("files: { a: { x86_64: abc } }", "5 files.a.x86_64 wrong-value"),
        ("files: { libFeed.so: OWN }", "5 files.libFeed.so files"),
        ("files: { a: [OWN] }", "5 files.a wrong-type"),
    ])
    func `an invalid pin of a file is refused at its place`(line: String, expected: String) {
        #expect(found("\(Self.libraries)\nsha256: { x86_64: OWN, aarch64: OTHER }\n\(line)") == [expected])
    }

    @Test func `a digest of a file for one architecture requires a library for each architecture`() {
        #expect(found("library: a.so\nsha256: OWN\nfiles: { a: { x86_64: OWN } }") == ["5 files.a files"])
    }

    @Test func `the manifest key files is refused while one of the manifest's libraries is not pinned`() {
        let lines = "\(Self.libraries)\nsha256: { x86_64: OWN }\nfiles: { a: OWN }"
        #expect(read(lines).problems.filter { $0.severity == .error }.map(\.short) == ["5 files files"])
    }
}
