// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginCatalogue
import TaskModel
import Testing

/// A directory for one test, with manifest directories of an operator and of packages and a plugin directory.
struct Workshop {
    let directory: String

    /// Runs `body` with a workshop, which is deleted afterwards.
    ///
    /// - Parameter place: the directory in which the directory of the workshop is created.
    static func with<Result>(
        in place: String = NSTemporaryDirectory(),
        _ body: (Workshop) throws -> Result
    ) throws -> Result {
        let workshop = try Workshop(in: place)
        defer { workshop.remove() }
        return try body(workshop)
    }

    static func with(_ body: (Workshop) async throws -> Void) async throws {
        let workshop = try Workshop()
        defer { workshop.remove() }
        try await body(workshop)
    }

    private init(in place: String = NSTemporaryDirectory()) throws {
        var template = Array((place + "/bgtask-catalogue-XXXXXX").utf8CString)
        let made = try #require(mkdtemp(&template).map { String(cString: $0) })
        directory = URL(filePath: made).resolvingSymlinksInPath().path
    }

    private func remove() { try? FileManager.default.removeItem(atPath: directory) }

    var directories: CatalogueDirectories {
        CatalogueDirectories(
            operatorManifests: path("operator"),
            packageManifests: [path("packages")],
            plugins: path("plugins")
        )
    }

    func path(_ name: String) -> String { directory + "/" + name }

    @discardableResult
    func write(_ text: String, _ name: String) throws -> String {
        try write(Array(text.utf8), name)
    }

    @discardableResult
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let url = URL(filePath: path(name))
        try makeDirectory(url.deletingLastPathComponent().path)
        try Data(bytes).write(to: url)
        return path(name)
    }

    /// Waits until the file system stamps a change with a later time than all earlier changes.
    func waitForNextTick() throws {
        func stamp() throws -> Int64 {
            try write("x", ".tick")
            var status = stat()
            try #require(stat(path(".tick"), &status) == 0)
            return Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
        }
        let first = try stamp()
        while try stamp() == first {}
    }

    func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Writes a library that the host would load, by default into the plugin directory.
    @discardableResult
    func installLibrary(_ name: String = "plugins/libFeed.so") throws -> String {
        try write(try Self.library.get(), name)
    }

    /// Writes a manifest of a main plugin for an installed library.
    @discardableResult
    func installManifest(_ name: String, identifier: String, _ more: String = "") throws -> String {
        try write("manifest: 1\nidentifier: \(identifier)\nlibrary: libFeed.so\n\(more)\n", name)
    }

    func load(
        known: [KnownPlugin] = [],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] = [:],
        cache: CatalogueCache = CatalogueCache()
    ) -> CatalogueContents {
        let contents = CatalogueReader.load(
            directories,
            alreadyCatalogued: known,
            operatorExtensions: operatorExtensions,
            cache: cache
        )
        expectForeseen(contents, known: known, operatorExtensions: operatorExtensions)
        return contents
    }

    /// The bytes of a library that the host would load.
    static func libraryBytes() throws -> [UInt8] { try library.get() }

    // Compiled once: every test needs the same bytes.
    private static let library = Result {
        let source = """
            __asm__(".pushsection .note.bgtask, \\"a\\", %note\\n.balign 4\\n.long 7, 12, 1\\n"
                    ".ascii \\"bgtask\\\\0\\\\0\\"\\n.long 1, 0, 0\\n.popsection");
            int bgtask_plugin_entry(void) { return 0; }
            """
        return try with { workshop in
            let input = try workshop.write(source, "plugin.c")
            let output = workshop.path("plugin.so")
            try ProgramRun.requireSuccess(of: ["cc", "-shared", "-fPIC", "-o", output, input])
            return Array(try Data(contentsOf: URL(filePath: output)))
        }
    }

    func compiled(_ source: String, _ options: [String] = []) throws -> [UInt8] {
        let input = try write(source, "functions.c")
        try ProgramRun.requireSuccess(of: ["cc", "-shared", "-fPIC", "-o", path("functions.so"), input] + options)
        return Array(try Data(contentsOf: URL(filePath: path("functions.so"))))
    }

    func link(_ path: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
    }
}
