// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import Testing

@Suite("The linkage of a library compares the required symbol versions with the defined ones, as the loader does")
struct SymbolVersionTests {
    private static let use = "\nint versioned(void); int f(void) { return versioned(); }"

    /// Compiles `libversioned.so` with one version of its function; nil for a library without definitions of versions.
    @discardableResult
    private func provide(
        _ version: String?,
        _ workshop: Workshop,
        source: String = "int versioned(void) { return 1; }"
    ) throws -> String {
        var options = ["-shared", "-fPIC", "-Wl,-soname,libversioned.so"]
        if let version {
            let script = workshop.path("versions.map")
            try Data("\(version) { global: versioned; local: *; };".utf8).write(to: URL(filePath: script))
            options.append("-Wl,--version-script=\(script)")
        }
        return try workshop.compile(source, to: "libversioned.so", options)
    }

    /// Compiles a plugin against the present `libversioned.so`.
    private func plugin(_ workshop: Workshop, _ source: String = Source.plugin + use) throws -> String {
        let options = ["-Wl,--no-as-needed", "-L\(workshop.directory)", "-lversioned", "-Wl,-rpath,$ORIGIN"]
        return try workshop.compile(source, to: "libplugin.so", ["-shared", "-fPIC"] + options)
    }

    private func isLoaded(_ path: String) -> Bool {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { return false }
        dlclose(handle)
        return true
    }

    @Test func `a required version that the needed library does not define is a problem that names both`() throws {
        try Workshop.with { workshop in
            try provide("V2", workshop)
            let path = try plugin(workshop)
            #expect(LibraryLinkage(path: path) == LibraryLinkage(path: "/nonexistent"))
            let library = try provide("V1", workshop)
            let linkage = LibraryLinkage(path: path)
            #expect(linkage.problems.map(\.kind) == [.versionUndefined("V2", of: library, usedBy: nil)])
            #expect(linkage.doubts.isEmpty)
            let message = try #require(linkage.problems.first).description
            #expect(message.contains("requires the symbol version \"V2\" of \"\(library)\", which does not define it"))
            #expect(message.hasSuffix("or link the plugin again with the installed one"))
            #expect(!isLoaded(path))
        }
    }

    @Test func `a required version of a library that defines it is no problem`() throws {
        try Workshop.with { workshop in
            try provide("V2", workshop)
            let path = try plugin(workshop)
            #expect(isLoaded(path))
            #expect(LibraryLinkage(path: path).problems.isEmpty)
        }
    }

    @Test func `a version that the C library of this machine does not define is a problem`() throws {
        try Workshop.with { workshop in
            let call = "\nint puts(const char *); int f(void) { return puts(\"\"); }"
            let path = try workshop.compile(Source.plugin + call)
            #expect(LibraryLinkage(path: path).problems.isEmpty)
            let patched = try workshop.write(renamingVersion(of: try workshop.bytes(of: path)))
            let problem = try #require(LibraryLinkage(path: patched).problems.first)
            guard case .versionUndefined("GLIBC_9.9", let library, nil) = problem.kind else {
                Issue.record("\(problem)")
                return
            }
            #expect(library.hasSuffix("/libc.so.6"))
            #expect(!isLoaded(patched))
        }
    }

    /// Renames the first required version of the C library to one of the future, and changes its hash.
    private func renamingVersion(of bytes: [UInt8]) throws -> [UInt8] {
        let name = try #require(["GLIBC_2.2.5", "GLIBC_2.17"].first { bytes.range(of: Array($0.utf8) + [0]) != nil })
        var bytes = bytes
        let text = try #require(bytes.range(of: Array(name.utf8) + [0]))
        let new = Array("GLIBC_9.9".utf8) + [UInt8](repeating: 0, count: name.utf8.count - 8)
        bytes.replaceSubrange(text, with: new)
        let hash = try #require(bytes.range(of: Self.hash(name)))
        bytes.replaceSubrange(hash, with: Self.hash("GLIBC_9.9"))
        return bytes
    }

    @Test func `a weak requirement of a version may stay undefined`() throws {
        try Workshop.with { workshop in
            try provide("V2", workshop)
            let weak = "\n__attribute__((weak)) int versioned(void); int f(void) { return versioned && versioned(); }"
            var bytes = try workshop.bytes(of: try plugin(workshop, Source.plugin + weak))
            let library = try provide("V1", workshop)
            let strong = try workshop.write(bytes)
            let expected = PluginBinaryProblem.Kind.versionUndefined("V2", of: library, usedBy: nil)
            #expect(LibraryLinkage(path: strong).problems.map(\.kind) == [expected])
            // The flags follow the hash.
            let hash = try #require(bytes.range(of: Self.hash("V2")))
            bytes[hash.upperBound] = 2
            let patched = try workshop.write(bytes)
            #expect(LibraryLinkage(path: patched).problems.isEmpty)
            #expect(isLoaded(patched))
        }
    }

    @Test func `a required version of a library with a version table but no definitions is a doubt, not a problem`()
        throws
    {
        try Workshop.with { workshop in
            try provide("V2", workshop)
            let path = try plugin(workshop)
            let source = "int puts(const char *); int versioned(void) { return puts(\"\"); }"
            let library = try provide(nil, workshop, source: source)
            let linkage = LibraryLinkage(path: path)
            #expect(linkage.problems.isEmpty)
            #expect(linkage.doubts.map(\.kind) == [.versionUndefined("V2", of: library, usedBy: nil)])
            #expect(isLoaded(path))
        }
    }

    // Without a call of dlopen: an assertion of the loader would end this process.
    @Test func `a required version of a library without a version table is a problem that names both`() throws {
        try Workshop.with { workshop in
            try provide("V2", workshop)
            let path = try plugin(workshop)
            let library = try provide(nil, workshop)
            let linkage = LibraryLinkage(path: path)
            #expect(linkage.problems.map(\.kind) == [.versionUndefined("V2", of: library, usedBy: nil)])
        }
    }

    @Test func `the linkage of a library with a changed byte in its tables of versions is determined without a trap`()
        throws
    {
        try Workshop.with { workshop in
            try provide("V2", workshop)
            let path = try plugin(workshop)
            let bytes = try workshop.bytes(of: path)
            let hash = try #require(bytes.range(of: Self.hash("V2")))
            for offset in max(0, hash.lowerBound - 48)..<min(bytes.count, hash.upperBound + 48) {
                for value: UInt8 in [0, 0x7f, 0xff] {
                    var damaged = bytes
                    damaged[offset] = value
                    _ = LibraryLinkage(path: try workshop.write(damaged))
                }
            }
        }
    }

    /// The hash of a version's name in the tables, little-endian.
    private static func hash(_ name: String) -> [UInt8] {
        var hash: UInt32 = 0
        for byte in name.utf8 {
            hash = (hash << 4) &+ UInt32(byte)
            let top = hash & 0xf000_0000
            hash = (hash ^ (top >> 24)) & ~top
        }
        return withUnsafeBytes(of: hash.littleEndian) { Array($0) }
    }
}

extension [UInt8] {
    /// The first occurrence of other bytes; nil without one.
    fileprivate func range(of other: [UInt8]) -> Range<Int>? {
        indices.first { self[$0...].starts(with: other) }.map { $0..<$0 + other.count }
    }
}
