// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// The output of `swift package dump-package`: the targets with their direct dependencies.
struct PackageManifest: Decodable {
    let products: [Product]
    let dependencies: [PackageDependency]
    let targets: [Target]

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The manifest of the package in a directory of the repository: `.` for the host, `SDK` for the package of vendors.
    static func of(_ package: String) async throws -> PackageManifest {
        let root = Self.root.appending(path: package)
        return try await ScratchDirectory.with { directory in
            // A scratch directory of its own: the package's may be locked by the build that runs this test.
            let run = try await ProgramRun.of(
                "/usr/bin/env",
                ["swift", "package", "--package-path", root.path, "--scratch-path", directory.path, "dump-package"]
            )
            return try JSONDecoder().decode(PackageManifest.self, from: Data(run.output.utf8))
        }
    }

    struct Product: Decodable {
        let name: String
    }

    /// A dependency on another package.
    struct PackageDependency: Decodable {}

    struct Target: Decodable {
        let name: String
        let type: String
        let path: String?
        /// Names of targets and products; a product of another package has the name of its module.
        let dependencies: [String]

        private enum CodingKeys: String, CodingKey {
            case name, type, path, dependencies
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            type = try container.decode(String.self, forKey: .type)
            path = try container.decodeIfPresent(String.self, forKey: .path)
            dependencies = try container.decode([Dependency].self, forKey: .dependencies).map(\.name)
        }

        /// The modules that the target of a package imports, each with one file that imports it.
        func imports(in package: String) throws -> [String: String] {
            let directory = PackageManifest.root.appending(
                path: "\(package)/\(path ?? "\(type == "test" ? "Tests" : "Sources")/\(name)")"
            ).resolvingSymlinksInPath()
            let files = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
            var imports: [String: String] = [:]
            for file in files.sorted() where file.hasSuffix(".swift") {
                let source = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
                for module in SwiftSource.imports(in: source) where imports[module] == nil {
                    imports[module] = "\(directory.lastPathComponent)/\(file)"
                }
            }
            return imports
        }
    }

    /// A dependency in the form `{ "byName": ["TaskModel", null] }` or `{ "product": ["Logging", "swift-log", null,
    /// null] }`.
    private struct Dependency: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
            var items = try decoder.container(keyedBy: Key.self).allKeys.first.map {
                try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: $0)
            }
            guard let name = try items?.decode(String.self) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: "a dependency without a name"
                    )
                )
            }
            self.name = name
        }

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }
}

enum SwiftSource {
    /// The Swift files below a directory of the package.
    static func files(below directory: String) throws -> [URL] {
        let root = PackageManifest.root.appending(path: directory).resolvingSymlinksInPath()
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return names.sorted().filter { $0.hasSuffix(".swift") }.map { root.appending(path: $0) }
    }

    /// The modules of the import declarations in a source text, which precede every other declaration.
    static func imports(in source: String) -> [String] {
        var modules: [String] = []
        for line in source.split(separator: "\n") {
            let line = line.drop { $0.isWhitespace }
            if line.isEmpty || line.hasPrefix("//") || line.hasPrefix("#") { continue }
            let pattern =
                #/
                ^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?
                import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(?<module>\w+)
                /#
            guard let match = line.firstMatch(of: pattern) else { break }
            modules.append(String(match.module))
        }
        return modules
    }
}
