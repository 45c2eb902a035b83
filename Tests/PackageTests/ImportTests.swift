// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// The compiler's own check is not enough: it also accepts imports of indirect dependencies.
@Suite("The package manifests declare exactly the imports of each target")
struct ImportTests {
    private static let packages = [".", "SDK"]
    private static let manifests = Task {
        var manifests: [String: PackageManifest] = [:]
        for package in packages { manifests[package] = try await PackageManifest.of(package) }
        return manifests
    }

    private func targets(of package: String) async throws -> [PackageManifest.Target] {
        try #require(try await Self.manifests.value[package]).targets
    }

    /// Modules of the toolchain, which need no declaration.
    private static let toolchain: Set = [
        "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc",
        "PackageDescription", "Synchronization", "Testing", "XCTest",
    ]

    @Test(arguments: packages)
    func `each imported module is a declared direct dependency`(package: String) async throws {
        for target in try await targets(of: package) {
            let imports = try target.imports(in: package).sorted { $0.key < $1.key }
            for (module, file) in imports where module != target.name {
                #expect(
                    target.dependencies.contains(module) || Self.toolchain.contains(module),
                    "\(file) imports \(module): add it to the dependencies of \(target.name) in \(package)/Package.swift"
                )
            }
        }
    }

    @Test(arguments: packages)
    func `each declared dependency is imported by a file of its target`(package: String) async throws {
        let targets = try await targets(of: package)
        let programs = Set(targets.filter { $0.type == "executable" }.map(\.name))
        for target in targets {
            let imports = try target.imports(in: package)
            // A target in C includes headers instead.
            if imports.isEmpty { continue }
            for dependency in target.dependencies where imports[dependency] == nil && !programs.contains(dependency) {
                Issue.record(
                    """
                    no file of \(target.name) imports \(dependency): remove it from its dependencies in \
                    \(package)/Package.swift
                    """
                )
            }
        }
    }

    /// The modules of C headers, each with the beginnings of its names. `CKeptPriority` has no declarations: it is
    /// imported to be linked.
    private static var namesOfC: [String: Regex<Substring>] {
        [
            "CLinux": /\b(?:bgl_|BGL_|nlmsghdr|rtattr|rtmsg|ifinfomsg|NETLINK_|RTM|IFLA_)/,
            "CBackgroundTasks": /\b(?:bgt_|BGT_|BGTASK_)/,
            "CBackgroundTasksTesting": /\b(?:bgtt_|BGTT_)/,
            "CFFI": /\b(?:ffi_|FFI_)/,
            "CMalloc": /\bmallinfo/,
            "CPostgreSQL": /\b(?:PQ|bgp_|PGRES_)/,
            "CSeccomp": /\b(?:bgs_|seccomp_|SCMP_)/,
        ]
    }

    @Test func `each file that imports a C module with declarations uses one of them`() throws {
        let others = ["Benchmarks/Sources", "Soak/Sources/CoreCost", "Soak/mutants/Sources"]
        for directory in ["SDK/Sources", "Sources", "Tests"] + others {
            let files = try SwiftSource.files(below: directory)
            #expect(!files.isEmpty)
            for file in files {
                let source = try String(contentsOf: file, encoding: .utf8)
                let code = source.split(separator: "\n").filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
                for module in SwiftSource.imports(in: source) {
                    guard let name = Self.namesOfC[module] else { continue }
                    #expect(code.contains { $0.contains(name) }, "\(file.path): remove the unused import of \(module)")
                }
            }
        }
    }

    @Test(arguments: packages)
    func `no target depends on itself through other targets`(package: String) async throws {
        let targets = try await targets(of: package)
        let dependencies = Dictionary(targets.map { ($0.name, $0.dependencies) }) { first, _ in first }
        for target in targets {
            var reached: Set<String> = []
            var next = target.dependencies
            while let module = next.popLast() {
                if reached.insert(module).inserted { next += dependencies[module] ?? [] }
            }
            #expect(!reached.contains(target.name), "\(target.name) depends on itself")
        }
    }

    @Test func `imports with attributes, access levels and kinds are recognized, those in strings and comments not`() {
        let source = """
            // import Comment
            @testable import A
            @preconcurrency package import B
            internal import struct C.Value
            #if canImport(D)
            import D
            #endif

            let text = \"""
                import E
                \"""
            """
        #expect(SwiftSource.imports(in: source) == ["A", "B", "C", "D"])
    }
}
