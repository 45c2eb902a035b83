// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("A pinned plugin is accepted only with files that its manifest pins")
struct PinnedFileTests {
    /// Writes a library and `libhelper.so`, with which it is linked, into one directory. Returns the digests of both.
    private func install(_ workshop: Workshop, in place: String = "plugins") throws -> (library: String, helper: String)
    {
        let helper = try workshop.write(
            try workshop.compiled("int helper(void) { return 1; }"),
            "\(place)/libhelper.so"
        )
        let library = try workshop.compiled(
            Self.source,
            ["-Wl,--no-as-needed", "-L\(workshop.path(place))", "-lhelper", "-Wl,-rpath,$ORIGIN"]
        )
        let path = try workshop.write(library, "\(place)/libFeed.so")
        return (try LibraryDigest.of(path: path), try LibraryDigest.of(path: helper))
    }

    private static let source = """
        __asm__(".pushsection .note.bgtask, \\"a\\", %note\\n.balign 4\\n.long 7, 12, 1\\n"
                ".ascii \\"bgtask\\\\0\\\\0\\"\\n.long 1, 0, 0\\n.popsection");
        int helper(void);
        int bgtask_plugin_entry(void) { return helper(); }
        """

    private func companions(_ paths: [String]) -> LibraryCompanions {
        .files(paths.compactMap { path in FileKey(ofPath: path).map { CompanionFile(path: path, key: $0) } })
    }

    private func problems(_ workshop: Workshop) -> [DocumentProblem] { workshop.load().refused.first?.problems ?? [] }

    /// The provenance of an unpinned plugin of a package whose library lies in a directory with this mode, and the
    /// rules of the catalogue's notes. The provenance is nil if the plugin is refused.
    private func source(ofPackageWithLibraryIn mode: mode_t) throws -> (Provenance.Source?, [DocumentProblem.Rule]) {
        // Every directory on the way to the files of a package belongs to root.
        try Workshop.with(in: "/root") { workshop in
            try workshop.write(try workshop.compiled(Self.plain), "plugins/libFeed.so")
            try workshop.installManifest("packages/a.yaml", identifier: "com.example.a")
            for name in ["", "packages", "plugins", "packages/a.yaml", "plugins/libFeed.so"] {
                chmod(workshop.path(name), 0o755)
            }
            chmod(workshop.path("plugins"), mode)
            let contents = CatalogueReader.load(workshop.directories)
            return (contents.entries.first?.provenance.source, contents.notes.map(\.rule))
        }
    }

    private static let plain = source.replacing("int helper(void);", with: "static int helper(void) { return 0; }")

    @Test(.enabled(if: geteuid() == 0))
    func `an unpinned library of a package in a directory that other users can write counts as unsigned`() throws {
        let (trusted, notes) = try source(ofPackageWithLibraryIn: 0o755)
        #expect(trusted == .package && notes.isEmpty)
        let (open, reasons) = try source(ofPackageWithLibraryIn: 0o777)
        #expect(open == .unsigned && reasons.contains(.unpinnedLibrary))
    }

    @Test func `a plugin whose library and private library are pinned is catalogued with its pins`() throws {
        try Workshop.with { workshop in
            let digests = try install(workshop)
            let pins = "sha256: \(digests.library)\nfiles: { libhelper.so: \(digests.helper.uppercased()) }"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            let contents = workshop.load()
            let provenance = try #require(contents.entries.first).provenance
            #expect(provenance.isPinned && contents.notes.isEmpty)
            #expect(provenance.files == [Provenance.File(name: "libhelper.so", digest: digests.helper)])
        }
    }

    @Test
    func `a private library that the manifest does not pin is refused if the library is pinned, and noted otherwise`()
        throws
    {
        try Workshop.with { workshop in
            let digests = try install(workshop)
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "sha256: \(digests.library)")
            let problem = try #require(problems(workshop).first)
            #expect(problem.rule == .unpinned && problem.message.contains("plugins/libhelper.so"))
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let contents = workshop.load()
            #expect(contents.refused.isEmpty && contents.notes.map(\.rule) == [.unpinned])
        }
    }

    @Test func `a plugin in place may use its pinned files and its private libraries beside its library alone`()
        throws
    {
        try Workshop.with { workshop in
            let digests = try install(workshop)
            let data = try LibraryDigest.of(path: try workshop.write("red", "plugins/data/colors.txt"))
            try workshop.write("blue", "plugins/data/other.txt")
            let files = "{ libhelper.so: \(digests.helper), data/colors.txt: \(data) }"
            let pins = "sha256: \(digests.library)\nfiles: \(files)\nmain-bundle: true"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            let pinned = try #require(workshop.load().entries.first)
            let paths = ["plugins/data/colors.txt", "plugins/libhelper.so"].map(workshop.path)
            #expect(pinned.companions == companions(paths))
            #expect(pinned.mainBundle?.linked?.sorted() == ["data/colors.txt", "libhelper.so"])
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let unpinned = try #require(workshop.load().entries.first)
            #expect(unpinned.companions == companions([workshop.path("plugins/libhelper.so")]))
        }
    }

    @Test func `a plugin may not use another plugin's library or manifest, even if it pins them or needs the library`()
        throws
    {
        try Workshop.with { workshop in
            let other = "manifest: 1\nidentifier: com.example.b\nlibrary: libhelper.so\n"
            let manifest = try LibraryDigest.of(path: try workshop.write(other, "operator/b.yaml"))
            let digests = try install(workshop, in: "operator")
            let files = "{ libhelper.so: \(digests.helper), b.yaml: \(manifest) }"
            let pins = "sha256: \(digests.library)\nfiles: \(files)"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            let entry = try #require(workshop.load().entries.first { $0.identifier.text == "com.example.a" })
            #expect(entry.companions == .files([]))
        }
    }

    @Test(arguments: ["symbolic link", "linked directory", "hard link"])
    func `a plugin may not use another plugin's library or manifest that it names by a link`(kind: String) throws {
        try Workshop.with { workshop in
            let digests = try install(workshop)
            let other = "manifest: 1\nidentifier: com.example.b\nlibrary: libother.so\n"
            let targets = [
                try workshop.write(try workshop.compiled(Self.plain), "plugins/libother.so"),
                try workshop.write(other, "operator/b.yaml"),
            ]
            var pins = ["libhelper.so: \(digests.helper)"]
            for (index, target) in targets.enumerated() {
                let name = kind == "linked directory" ? "d\(index)/\(FilePlace.name(of: target))" : "link\(index)"
                let place = workshop.path("plugins/\(kind == "linked directory" ? "d\(index)" : name)")
                switch kind {
                case "hard link": try #require(link(target, place) == 0)
                case "linked directory": try #require(symlink(FilePlace.directory(of: target), place) == 0)
                default: try #require(symlink(target, place) == 0)
                }
                pins.append("\(name): \(try LibraryDigest.of(path: target))")
            }
            let lines = "sha256: \(digests.library)\nfiles: { \(pins.joined(separator: ", ")) }"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", lines)
            let entry = try #require(workshop.load().entries.first { $0.identifier.text == "com.example.a" })
            #expect(entry.companions == companions([workshop.path("plugins/libhelper.so")]))
        }
    }

    @Test func `a plugin may use the library of its extension beside its own library`() throws {
        try Workshop.with { workshop in
            _ = try install(workshop)
            let helper = try workshop.compiled(Self.plain.replacing("static int helper", with: "int helper"))
            try workshop.write(helper, "plugins/libhelper.so")
            let lines = [
                "manifest: 1", "identifier: com.example.a.b", "role: extension", "containing-plugin: com.example.a",
                "library: libhelper.so", "",
            ]
            try workshop.write(lines.joined(separator: "\n"), "operator/b.yaml")
            let list = "extensions: [com.example.a.b]"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", list)
            let entry = try #require(workshop.load().entries.first { $0.identifier.text == "com.example.a" })
            #expect(entry.companions == companions([workshop.path("plugins/libhelper.so")]))
        }
    }

    @Test func `an exchanged private library is refused by the next load, and accepted again when it is restored`()
        throws
    {
        try Workshop.with { workshop in
            let cache = CatalogueCache()
            let digests = try install(workshop)
            let good = Array(try Data(contentsOf: URL(filePath: workshop.path("plugins/libhelper.so"))))
            let pins = "sha256: \(digests.library)\nfiles: { libhelper.so: \(digests.helper) }"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            #expect(workshop.load(cache: cache).refused.isEmpty)
            try workshop.write(try workshop.compiled("int helper(void) { return 2; }"), "plugins/libhelper.so")
            let refused = workshop.load(cache: cache).refused
            #expect(refused.first?.problems.map(\.short) == ["5 files.libhelper.so files"])
            try workshop.write(good, "plugins/libhelper.so")
            #expect(workshop.load(cache: cache).refused.isEmpty)
        }
    }

    @Test func `a library added to a directory that the loader searches first is refused at the next load`() throws {
        try Workshop.with { workshop in
            let cache = CatalogueCache()
            let digests = try install(workshop)
            let pins = "sha256: \(digests.library)\nfiles: { libhelper.so: \(digests.helper) }"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            #expect(workshop.load(cache: cache).refused.isEmpty)
            let planted = try workshop.compiled("int helper(void) { return 2; }")
            try workshop.write(planted, "plugins/glibc-hwcaps/x86-64-v2/libhelper.so")
            #expect(workshop.load(cache: cache).refused.first?.problems.map(\.rule) == [.unpinned])
        }
    }

    @Test func `a pinned file that is missing, a directory or a pipe is refused with its path`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let digest = try LibraryDigest.of(path: workshop.path("plugins/libFeed.so"))
            let pin = String(repeating: "a", count: 64)
            let pins = "sha256: \(digest)\nfiles:\n  absent: \(pin)\n  data: \(pin)\n  pipe: \(pin)"
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            try workshop.makeDirectory(workshop.path("plugins/data"))
            try #require(mkfifo(workshop.path("plugins/pipe"), 0o600) == 0)
            let found = problems(workshop)
            #expect(found.map(\.short) == ["6 files.absent files", "7 files.data files", "8 files.pipe files"])
            #expect(found.allSatisfy { $0.message.contains(workshop.path("plugins/")) })
        }
    }

    @Test func `the stored version of a pinned plugin takes precedence over a library beside the manifest`()
        throws
    {
        try Workshop.with { workshop in
            let digests = try install(workshop, in: "operator/store/x")
            try workshop.write("no library", "operator/libFeed.so")
            let pins = "sha256: \(digests.library)\nfiles: { libhelper.so: \(digests.helper) }"
            let manifest = try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", pins)
            let version = workshop.path("operator/store/\(ManifestReading.read(path: manifest).digest)")
            try FileManager.default.moveItem(atPath: workshop.path("operator/store/x"), toPath: version)
            let entry = try #require(workshop.load().entries.first)
            #expect(entry.library.path == "\(version)/libFeed.so" && entry.companions == .directory)
        }
    }

    @Test(arguments: [
        ("files: { a: b }", "4 files.a wrong-value"), ("files: { ../a: PIN }", "4 files.../a files"),
        ("files: { /a: PIN }", "4 files./a files"), ("files: { libFeed.so: PIN }", "4 files.libFeed.so files"),
        ("files: [a]", "4 files wrong-type"),
    ])
    func `an invalid entry of the key files is refused at its line`(line: String, expected: String) {
        let pin = String(repeating: "a", count: 64)
        let found = found(yaml("\(line.replacing("PIN", with: pin))\nsha256: \(pin)"))
        #expect(found == [expected])
    }

    @Test func `the manifest key files is refused without a digest of the library`() {
        let pin = String(repeating: "a", count: 64)
        #expect(found(yaml("files: { a: \(pin) }")) == ["4 files files"])
    }
}
