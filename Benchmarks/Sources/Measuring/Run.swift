// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The figures of one benchmark with their machine: a file of BENCH/results/runs, in JSON. A later run replaces it.
package struct Run: Codable, Sendable {
    let title: String
    let machine: Machine
    let figures: [Figure]

    package init(_ title: String, _ figures: [Figure]) throws {
        (self.title, machine, self.figures) = (title, try Machine.current(), figures)
    }

    /// Writes the file of the run.
    ///
    /// - Parameter name: determines the position of the run in the results.
    package func write(_ name: String, _ programs: Programs) throws {
        let directory = programs.bench + "/results/runs"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Self.encoded(self).write(to: URL(fileURLWithPath: "\(directory)/\(name).json"), options: .atomic)
    }

    /// The stored runs, in the order of their names.
    package static func all(_ programs: Programs) throws -> [Run] {
        let directory = programs.bench + "/results/runs"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }
        return try names.sorted().map { name in
            let text = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
            do {
                return try JSONDecoder().decode(Run.self, from: text)
            } catch {
                throw BenchmarkError("\(directory)/\(name) is no run of this version; remove it: \(error)")
            }
        }
    }

    static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value) + Data("\n".utf8)
    }
}
