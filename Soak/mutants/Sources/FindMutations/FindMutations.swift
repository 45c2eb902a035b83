// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Prints every mutation of the Swift files below a directory as a JSON list, file by file in the order of their paths.
@main
enum FindMutations {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: FindMutations DIRECTORY\n".utf8))
            exit(2)
        }
        let directory = URL(filePath: CommandLine.arguments[1])
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        let found = try files.filter { $0.hasSuffix(".swift") }.sorted().flatMap { file in
            try mutations(of: String(contentsOf: directory.appending(path: file), encoding: .utf8), in: file)
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(found))
    }

    private static func mutations(of source: String, in file: String) throws -> [Mutation] {
        let parsed = Parser.parse(source: source)
        let finder = MutationFinder(viewMode: .sourceAccurate)
        finder.walk(try OperatorTable.standardOperators.foldAll(parsed))
        let places = SourceLocationConverter(fileName: file, tree: parsed)
        return finder.mutations.sorted { ($0.start, -$0.end) < ($1.start, -$1.end) }.map { mutation in
            var mutation = mutation
            mutation.file = file
            mutation.line = places.location(for: AbsolutePosition(utf8Offset: mutation.start)).line
            mutation.lastLine = places.location(for: AbsolutePosition(utf8Offset: mutation.end)).line
            mutation.text = places.sourceLines[mutation.line - 1].trimmingCharacters(in: .whitespacesAndNewlines)
            return mutation
        }
    }
}
