// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import PluginCatalogue
import StatementTraits
import TaskModel
import Testing

@Suite("The catalogue has all valid plugins and the problems of the others")
struct CatalogueReaderTests {
    @Test func `the catalogue finds installed plugins by their identifiers, and finds no other plugin`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            for name in ["b", "d", "f"] {
                try workshop.installManifest("operator/\(name).yaml", identifier: "com.example.\(name)")
            }
            let contents = workshop.load()
            for name in ["a", "b", "c", "d", "e", "f", "g"] {
                let identifier = try #require(PluginIdentifier("com.example.\(name)"))
                let isInstalled = ["b", "d", "f"].contains(name)
                #expect(contents.entry(for: identifier)?.identifier == (isInstalled ? identifier : nil))
                #expect(contents.contains(identifier) == isInstalled)
            }
        }
    }

    @Test func `plugins of all directories and formats are found, sorted by identifier`() throws {
        try Workshop.with { workshop in
            let library = try workshop.installLibrary()
            let manifest = try workshop.installManifest("operator/z.yaml", identifier: "com.example.b", "version: 3")
            try workshop.installManifest("packages/a.yml", identifier: "com.example.c")
            try workshop.write(
                "<plist><dict><key>CFBundleIdentifier</key><string>com.example.a</string>"
                    + "<key>CFBundleExecutable</key><string>Feed</string></dict></plist>",
                "packages/Info.plist"
            )
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.a", "com.example.b", "com.example.c"])
            #expect(contents.refused.isEmpty)
            #expect(contents.notes.isEmpty)
            let entry = contents.entries[1]
            #expect(entry.version == "3")
            #expect(entry.manifestPath == manifest)
            #expect(entry.manifestDigest == ManifestReading.read(path: manifest).digest)
            #expect(entry.library.path == library)
            #expect(entry.library.digest.count == 64)
        }
    }

    @Test func `the problems of a refused manifest and of its library are in the order of the file`() throws {
        try Workshop.with { workshop in
            try workshop.write(
                """
                manifest: 1
                identifier: com.example.b
                library: libMissing.so
                background-modes: [fetch]
                permited-identifiers: [com.example.b.x]

                """,
                "operator/b.yaml"
            )
            let refused = try #require(workshop.load().refused.first)
            let lines = refused.problems.compactMap(\.line)
            #expect(lines.count >= 2 && lines.contains(3) && lines == lines.sorted(), "\(refused.problems)")
        }
    }

    @Test(.proves(70, 75)) func `a catalogued plugin has the entitlements of its manifest, in YAML and property lists`()
        throws
    {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let claims = """
                background-modes: [processing]
                permitted-identifiers: [com.example.b.study]
                grants: { health-research: true, gpu: true }
                """
            try workshop.installManifest("operator/b.yaml", identifier: "com.example.b", claims)
            try workshop.write(
                "<plist><dict><key>CFBundleIdentifier</key><string>com.example.a</string>"
                    + "<key>CFBundleExecutable</key><string>Feed</string>"
                    + "<key>BGTaskSchedulerPermittedIdentifiers</key><array><string>com.example.a.x</string></array>"
                    + "<key>com.apple.developer.background-tasks.continued-processing.gpu</key><true/></dict></plist>",
                "packages/Info.plist"
            )
            let entries = workshop.load().entries
            #expect(entries.map(\.entitlements) == [[.continuedProcessingGPU], Set(Entitlement.allCases)])
        }
    }

    @Test func `a broken manifest does not hide valid manifests`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "rolle: main")
            try workshop.write("\u{0}\u{1}", "operator/b.yaml")
            try workshop.installManifest("operator/c.yaml", identifier: "com.example.c")
            try workshop.makeDirectory(workshop.path("operator/d.yaml"))
            try #require(symlink("/nowhere", workshop.path("operator/e.yaml")) == 0)
            try #require(mkfifo(workshop.path("operator/f.yaml"), 0o600) == 0)
            let contents = workshop.load()
            #expect(contents.entries.map(\.identifier.text) == ["com.example.c"])
            #expect(contents.refused.map { $0.file.suffix(6) } == ["a.yaml", "b.yaml", "d.yaml", "e.yaml", "f.yaml"])
            #expect(contents.refused.map(\.identifier?.text) == ["com.example.a", nil, nil, nil, nil])
            #expect(contents.refused.allSatisfy { $0.problems.contains { $0.severity == .error } })
        }
    }

    @Test func `problems of a manifest and of its library are reported together`() throws {
        try Workshop.with { workshop in
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "rolle: main")
            let problems = try #require(workshop.load().refused.first).problems
            #expect(problems.map(\.rule).contains(.unknownKey))
            #expect(problems.map(\.rule).contains(.libraryMissing))
        }
    }

    @Test func `files in subdirectories, hidden files and files with other extensions are not read as manifests`()
        throws
    {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            for name in ["below/a.yaml", "b.yaml~", ".c.yaml", "d.txt", ".yaml"] {
                try workshop.installManifest("operator/\(name)", identifier: "com.example.x")
            }
            let contents = workshop.load()
            #expect(contents.entries.isEmpty && contents.refused.isEmpty)
        }
    }

    @Test func `a missing manifest directory counts as empty, and a file in its place is reported`() throws {
        try Workshop.with { workshop in
            #expect(workshop.load().refused.isEmpty)
            try workshop.write("x", "packages")
            #expect(workshop.load().refused.map(\.file) == [workshop.path("packages")])
        }
    }

    @Test func `notes about valid manifests are kept with the catalogue`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "limits: { memory: 1GiB }")
            let contents = workshop.load()
            #expect(contents.entries.count == 1)
            #expect(contents.notes.map(\.short) == ["4 limits not-enforced"])
        }
    }

    @Test func `the catalogue names the manifest, plugin and library directories in which a change matters`() throws {
        try Workshop.with { workshop in
            try workshop.write("manifest: 1\nidentifier: com.example.a\nlibrary: sub/libA.so\n", "operator/a.yaml")
            #expect(
                workshop.load().directories.isSuperset(
                    of: ["operator", "packages", "plugins", "operator/sub", "plugins/sub"].map(workshop.path)
                )
            )
        }
    }
}

@Suite("A library is found beside its manifest or in the plugin directory only")
struct LibraryTests {
    private func refusal(of workshop: Workshop) -> DocumentProblem? {
        workshop.load().refused.first?.problems.last
    }

    @Test func `a library beside the manifest takes precedence over a library in the plugin directory`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let beside = try workshop.installLibrary("operator/libFeed.so")
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            #expect(workshop.load().entries.map(\.library.path) == [beside])
        }
    }

    @Test func `a missing library is reported with both searched paths`() throws {
        try Workshop.with { workshop in
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let problem = refusal(of: workshop)
            #expect(problem?.short == "3 library library-missing")
            #expect(problem?.message.contains(workshop.path("operator/libFeed.so")) == true)
            #expect(problem?.message.contains(workshop.path("plugins/libFeed.so")) == true)
        }
    }

    @Test func `a library's link out of the manifest and plugin directories is refused, and a link inside is followed`()
        throws
    {
        try Workshop.with { workshop in
            try workshop.installLibrary("elsewhere/libFeed.so")
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            try #require(symlink("../elsewhere/libFeed.so", workshop.path("operator/libFeed.so")) == 0)
            #expect(refusal(of: workshop)?.short == "3 library library-path")

            unlink(workshop.path("operator/libFeed.so"))
            try workshop.installLibrary("operator/libFeed.so.1")
            try #require(symlink("libFeed.so.1", workshop.path("operator/libFeed.so")) == 0)
            #expect(workshop.load().entries.count == 1)
        }
    }

    @Test func `a library behind a directory link out of the manifest and plugin directories is refused`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary("elsewhere/libFeed.so")
            try workshop.write("manifest: 1\nidentifier: com.example.a\nlibrary: sub/libFeed.so\n", "operator/a.yaml")
            try #require(symlink("../elsewhere", workshop.path("operator/sub")) == 0)
            #expect(refusal(of: workshop)?.short == "3 library library-path")
        }
    }

    @Test
    func `a dangling library link is refused as unreadable, even when the plugin directory has the library`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            try #require(symlink("/nowhere", workshop.path("operator/libFeed.so")) == 0)
            #expect(refusal(of: workshop)?.short == "3 library unreadable")
        }
    }

    @Test func `a file that is not a library is refused with the library reader's message`() throws {
        try Workshop.with { workshop in
            try workshop.write("hello", "plugins/libFeed.so")
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let problem = refusal(of: workshop)
            #expect(problem?.short == "3 library not-an-elf")
            #expect(problem?.message == "library \"\(workshop.path("plugins/libFeed.so"))\" is not an ELF file")
        }
    }

    @Test(.proves("BGT-ABI-02")) func `a library for another ABI major is refused with the rule BGT-ABI-02`() throws {
        try Workshop.with { workshop in
            let path = try workshop.installLibrary()
            var bytes = Array(try Data(contentsOf: URL(filePath: path)))
            let owner = Array("bgtask\0\0".utf8)
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: owner) && bytes[$0 - 12] == 7 })
            bytes[place + 8] = 2
            try workshop.write(bytes, "plugins/libFeed.so")
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            #expect(refusal(of: workshop)?.short == "3 library BGT-ABI-02")
        }
    }

    @Test(.proves("BGT-ABI-02")) func `a catalogued plugin has the minor version of the header in its library's note`()
        throws
    {
        try Workshop.with { workshop in
            let path = try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            #expect(workshop.load().entries.first?.library.headerMinor == 0)
            var bytes = Array(try Data(contentsOf: URL(filePath: path)))
            let owner = Array("bgtask\0\0".utf8)
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: owner) && bytes[$0 - 12] == 7 })
            bytes[place + 16] = 3
            try workshop.write(bytes, "plugins/libFeed.so")
            #expect(workshop.load().entries.first?.library.headerMinor == 3)
        }
    }

    @Test func `a library with the pinned digest is accepted, and one with another digest is refused`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let digest = try #require(workshop.load().entries.first?.library.digest)
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "sha256: \(digest)")
            #expect(workshop.load().entries.count == 1)

            let other = String(repeating: "0", count: 64)
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a", "sha256: \(other)")
            let problem = refusal(of: workshop)
            #expect(problem?.short == "4 sha256 sha256")
            #expect(problem?.message.contains(digest) == true)
        }
    }
}

@Suite("A reload reads only changed files")
struct CatalogueCacheTests {
    /// A cache whose clock makes every file old, so that unchanged files are reused.
    private let cache = CatalogueCache(now: { .max })

    @Test func `unchanged manifests and libraries are neither read nor hashed again`() throws {
        try Workshop.with { workshop in
            for number in 0..<5 {
                try workshop.installLibrary("plugins/lib\(number).so")
                try workshop.write(
                    "manifest: 1\nidentifier: com.example.p\(number)\nlibrary: lib\(number).so\n",
                    "operator/\(number).yaml"
                )
            }
            let first = workshop.load(cache: cache)
            #expect(first.entries.count == 5)
            let work = CatalogueCache.Work(manifestsRead: 5, librariesExamined: 5, librariesHashed: 5)
            #expect(cache.work == work)
            #expect(workshop.load(cache: cache) == first)
            #expect(cache.work == work)

            try workshop.installLibrary("plugins/lib3.so")
            let second = workshop.load(cache: cache)
            #expect(cache.work == CatalogueCache.Work(manifestsRead: 5, librariesExamined: 6, librariesHashed: 6))
            #expect(second.entries[3].library.identity != first.entries[3].library.identity)

            try workshop.write("manifest: 1\nidentifier: com.example.q\nlibrary: lib1.so\n", "operator/1.yaml")
            #expect(workshop.load(cache: cache).entries.map(\.identifier.text).contains("com.example.q"))
            #expect(cache.work == CatalogueCache.Work(manifestsRead: 6, librariesExamined: 6, librariesHashed: 6))
        }
    }

    @Test func `manifests and libraries that changed just before a load are read again at the next load`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let now = Int64(Date().timeIntervalSince1970 * 1e9)
            for (seconds, reads) in [(0.5, 2), (60, 1)] {
                let cache = CatalogueCache(now: { now + Int64(seconds * 1e9) })
                _ = workshop.load(cache: cache)
                _ = workshop.load(cache: cache)
                let work = CatalogueCache.Work(manifestsRead: reads, librariesExamined: reads, librariesHashed: reads)
                #expect(cache.work == work)
            }
        }
    }

    @Test func `a library of several manifests is examined and hashed once, even just after a change of the library`()
        throws
    {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            for name in ["a", "b", "c"] {
                try workshop.installManifest("operator/\(name).yaml", identifier: "com.example.\(name)")
            }
            for cache in [cache, CatalogueCache(now: { 0 })] {
                #expect(workshop.load(cache: cache).entries.count == 3)
                #expect(cache.work == CatalogueCache.Work(manifestsRead: 3, librariesExamined: 1, librariesHashed: 1))
            }
        }
    }

    @Test func `one library file with several paths is hashed once`() throws {
        try Workshop.with { workshop in
            let library = try workshop.installLibrary("operator/lib0.so")
            for number in 0..<4 {
                if number > 0 { try #require(link(library, workshop.path("operator/lib\(number).so")) == 0) }
                try workshop.write(
                    "manifest: 1\nidentifier: com.example.p\(number)\nlibrary: lib\(number).so\n",
                    "operator/\(number).yaml"
                )
            }
            let digests = Set(workshop.load(cache: cache).entries.map(\.library.digest))
            #expect(digests.count == 1)
            #expect(cache.work == CatalogueCache.Work(manifestsRead: 4, librariesExamined: 4, librariesHashed: 1))
        }
    }

    @Test func `a library rewritten in place with the same size and time is hashed again`() throws {
        try Workshop.with { workshop in
            let library = try workshop.installLibrary()
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            let before = workshop.load(cache: cache)
            var status = stat()
            try #require(stat(library, &status) == 0)
            try workshop.waitForNextTick()
            let file = open(library, O_WRONLY)
            // Beyond everything that the ELF headers refer to: the library stays valid.
            _ = pwrite(file, [UInt8(ascii: "x")], 1, status.st_size - 1)
            var times = [status.st_atim, status.st_mtim]
            try #require(futimens(file, &times) == 0)
            close(file)
            let after = workshop.load(cache: cache)
            #expect(after.entries.first?.library.identity.size == before.entries.first?.library.identity.size)
            #expect(after.entries.first?.library.identity.modified == before.entries.first?.library.identity.modified)
            #expect(after.entries.first?.library.digest != before.entries.first?.library.digest)
            #expect(after == workshop.load())
        }
    }

    @Test func `a refused library is not examined again until it changes`() throws {
        try Workshop.with { workshop in
            try workshop.write("hello", "plugins/libFeed.so")
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            #expect(workshop.load(cache: cache) == workshop.load(cache: cache))
            #expect(cache.work.librariesExamined == 1 && cache.work.librariesHashed == 0)
            try workshop.installLibrary()
            #expect(workshop.load(cache: cache).entries.count == 1)
        }
    }

    @Test func `cached results of a manifest and of its library are dropped after the manifest is deleted`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            let path = try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            _ = workshop.load(cache: cache)
            unlink(path)
            #expect(workshop.load(cache: cache).entries.isEmpty)
            try workshop.installManifest("operator/a.yaml", identifier: "com.example.a")
            _ = workshop.load(cache: cache)
            #expect(cache.work == CatalogueCache.Work(manifestsRead: 2, librariesExamined: 2, librariesHashed: 2))
        }
    }
}
