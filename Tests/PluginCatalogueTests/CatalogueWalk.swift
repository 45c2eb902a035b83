// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginCatalogue
import TaskModel
import Testing

/// Random changes to the files of a workshop, as installers, editors and users make them.
struct CatalogueWalk {
    let workshop: Workshop
    private var generator: SeededGenerator
    private(set) var steps: [String] = []

    private static let manifests =
        ["a", "b", "c", "d"].flatMap { ["operator/\($0).yaml", "packages/\($0).yaml"] } + ["operator/Info.plist"]
    private static let libraries = [
        "plugins/lib1.so", "plugins/lib2.so", "operator/lib1.so", "packages/lib2.so", "plugins/sub/lib3.so",
        "elsewhere/lib4.so",
    ]
    private static let references = ["lib1.so", "lib2.so", "sub/lib3.so", "lib4.so", "../elsewhere/lib4.so"]

    init(_ workshop: Workshop, seed: UInt64) throws {
        self.workshop = workshop
        generator = SeededGenerator(seed: seed)
        for library in Self.libraries { try workshop.installLibrary(library) }
    }

    mutating func step() throws {
        let (manifest, library) = (pick(Self.manifests), pick(Self.libraries))
        switch Int.random(in: 0..<13, using: &generator) {
        case 0...3: write(manifestText(manifest), manifest)
        case 4: remove(manifest)
        case 5: rename(manifest, pick(Self.manifests))
        case 6: try rewriteInPlace(manifest)
        case 7: try write(libraryBytes(), library)
        case 8: try rewriteInPlace(library)
        case 9: remove(library)
        case 10: rename(library, pick(Self.libraries))
        case 11: link(pick(Self.libraries), to: library, isHard: Bool.random(using: &generator))
        default: rename(pick(["operator", "plugins", "away"]), pick(["operator", "plugins", "away"]))
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    // MARK: Contents

    private mutating func manifestText(_ name: String) -> [UInt8] {
        let identifier = "com.example." + pick(["one", "two", "three", "one.extension"])
        if name.hasSuffix(".plist") {
            return Array(
                ("<plist><dict><key>CFBundleIdentifier</key><string>\(identifier)</string>"
                    + "<key>CFBundleExecutable</key><string>1</string></dict></plist>").utf8
            )
        }
        var lines = ["manifest: 1", "identifier: \(identifier)", "library: \(pick(Self.references))"]
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: lines.append("rolle: main")
        case 1: lines += ["role: extension", "containing-plugin: com.example.one"]
        case 2: lines.append("extensions: [com.example.one.extension]")
        case 3: lines.append("sha256: \(String(repeating: "0", count: 64))")
        case 4: lines += ["background-modes: [processing]", "permitted-identifiers: [com.example.shared]"]
        case 5: lines += ["background-modes: [processing]", "permitted-identifiers: [\(identifier).task]"]
        case 6: lines.append("limits: { memory: 1GiB }")
        default: lines[0] = "manifest: 2"
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    private mutating func libraryBytes() throws -> [UInt8] {
        let library = try Workshop.libraryBytes()
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return Array("no library".utf8)
        case 1: return Array(library.prefix(500))
        // Bytes after the last table of an ELF file change only its digest.
        default: return library + [UInt8.random(in: 0...3, using: &generator)]
        }
    }

    // MARK: Files. A step that fails changes nothing.

    private mutating func write(_ bytes: [UInt8], _ name: String) {
        steps.append("write \(name)")
        // A link at that path is followed; a directory makes the write fail.
        _ = try? workshop.write(bytes, name)
    }

    private mutating func remove(_ name: String) {
        steps.append("remove \(name)")
        unlink(workshop.path(name))
    }

    private mutating func rename(_ old: String, _ new: String) {
        steps.append("rename \(old) to \(new)")
        _ = Glibc.rename(workshop.path(old), workshop.path(new))
    }

    private mutating func link(_ target: String, to name: String, isHard: Bool) {
        steps.append("link \(name) to \(target)" + (isHard ? ", hard" : ""))
        if target == name { return }
        unlink(workshop.path(name))
        _ =
            isHard
            ? Glibc.link(workshop.path(target), workshop.path(name))
            : symlink(workshop.path(target), workshop.path(name))
    }

    /// Changes the last byte of the file without a change of its size and modification time.
    private mutating func rewriteInPlace(_ name: String) throws {
        steps.append("rewrite \(name)")
        let file = open(workshop.path(name), O_RDWR)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 0 else { return }
        var byte: UInt8 = 0
        _ = pread(file, &byte, 1, status.st_size - 1)
        byte = byte == UInt8(ascii: "\n") ? UInt8(ascii: "#") : UInt8(ascii: "\n")
        _ = pwrite(file, &byte, 1, status.st_size - 1)
        futimens(file, [status.st_atim, status.st_mtim])
    }
}
