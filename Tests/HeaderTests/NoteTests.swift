// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@Suite(
    "The header's example plugin contains the bgtask note and exports only its entry",
    .enabled(if: Tool.inspectsBinaries)
)
struct NoteTests {
    /// Options of compiler and linker with which vendors build a packaged library.
    static let treatments: [[String]] = [
        ["-O0"],
        ["-O2", "-Wl,--gc-sections", "-ffunction-sections", "-fdata-sections"],
    ]

    @Test(.enabled(if: Compiler.gcc.isInstalled), arguments: treatments)
    func `the header's example built by gcc has the bgtask note and exports only its entry`(
        options: [String]
    ) throws {
        try inspect(from: .gcc, options)
    }

    @Test(.enabled(if: Compiler.gxx.isInstalled), arguments: treatments)
    func `the header's example built by g++ has the bgtask note and exports only its entry`(
        options: [String]
    ) throws {
        try inspect(from: .gxx, options)
    }

    @Test(.enabled(if: Compiler.clang.isInstalled), arguments: treatments)
    func `the header's example built by clang has the bgtask note and exports only its entry`(
        options: [String]
    ) throws {
        try inspect(from: .clang, options)
    }

    @Test(.enabled(if: Compiler.clangxx.isInstalled), arguments: treatments)
    func `the header's example built by clang++ has the bgtask note and exports only its entry`(
        options: [String]
    ) throws {
        try inspect(from: .clangxx, options)
    }

    private static let linkTime = ["-O3", "-flto", "-Wl,--gc-sections"]

    @Test(.enabled(if: Compiler.gcc.optimisesAtLinkTime), arguments: [Compiler.gcc, .gxx].filter(\.isInstalled))
    func `the header's example optimized at link time by GCC has the bgtask note and exports only its entry`(
        compiler: Compiler
    ) throws {
        try inspect(from: compiler, Self.linkTime)
    }

    @Test(
        .enabled(if: Compiler.clang.optimisesAtLinkTime),
        arguments: [Compiler.clang, .clangxx].filter(\.isInstalled)
    )
    func `the header's example optimized at link time by Clang has the bgtask note and exports only its entry`(
        compiler: Compiler
    ) throws {
        try inspect(from: compiler, Self.linkTime + ["-fuse-ld=lld"])
        try inspect(from: compiler, ["-O2", "-flto=thin", "-Wl,--gc-sections", "-fuse-ld=lld"])
    }

    @Test(arguments: [Compiler.gcc, .gxx, .clang, .clangxx].filter(\.isInstalled))
    func `the header's example built with AddressSanitizer has the bgtask note of 32 bytes`(compiler: Compiler) throws {
        // The runtime of a sanitizer is not part of the plugin.
        let options = ["-g", "-fsanitize=address,undefined"]
        try DocumentedPlugin.withLibrary(from: compiler, options: options) { library, scratch in
            #expect(try noteBytes(of: library, in: scratch) == Self.goldenNote)
            let section = try #require(try sectionHeader(of: library))
            #expect(section.alignment == "4")
        }
    }

    /// Checks that the note's section, in a stripped and in an unstripped library, has exactly the bytes that are
    /// documented for other languages.
    private func inspect(from compiler: Compiler, _ options: [String]) throws {
        for stripped in [false, true] {
            try DocumentedPlugin.withLibrary(from: compiler, options: options, stripped: stripped) { library, scratch in
                #expect(try noteBytes(of: library, in: scratch) == Self.goldenNote)
                let section = try #require(try sectionHeader(of: library))
                #expect(section.type == "NOTE")
                #expect(section.alignment == "4")
                #expect(try exportedSymbols(of: library) == ["bgtask_plugin_entry"])
            }
        }
    }

    private static let goldenNote: [UInt8] =
        [7, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0] + Array("bgtask".utf8) + [0, 0]
        + [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    private func noteBytes(of library: URL, in scratch: Scratch) throws -> [UInt8] {
        let bytes = scratch.directory.appending(path: "note")
        let result = try Tool.run(
            "objcopy",
            ["-O", "binary", "--only-section=.note.bgtask", library.path, bytes.path]
        )
        #expect(result.status == 0, "\(result.output)")
        return try [UInt8](Data(contentsOf: bytes))
    }

    private func sectionHeader(of library: URL) throws -> (type: Substring, alignment: Substring)? {
        let lines = try Tool.run("readelf", ["--section-headers", "--wide", library.path]).output.split(separator: "\n")
        guard let line = lines.first(where: { $0.contains(" .note.bgtask ") }) else { return nil }
        let words = line.split(separator: " ")
        guard let name = words.firstIndex(of: ".note.bgtask"), let alignment = words.last else { return nil }
        return (words[words.index(after: name)], alignment)
    }

    /// The symbols that the plugin itself exports, without those of the toolchain: some linkers add symbols for the
    /// bounds of segments, and the C runtime adds `_init` and `_fini`.
    private func exportedSymbols(of library: URL) throws -> [Substring] {
        let ofTheToolchain: Set<Substring> = ["__bss_start", "_edata", "_end", "_init", "_fini"]
        let result = try Tool.run("nm", ["-D", "--defined-only", "--format=posix", library.path])
        return result.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
            .filter { !ofTheToolchain.contains($0) }
    }
}
