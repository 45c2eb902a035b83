// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import FuzzEntries

@Suite("The readers of outside data keep their promises for the inputs of the fuzzer")
struct FuzzCorpusTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzz")

    enum Target: String, CaseIterable, Sendable {
        case library, manifest, wire, control

        func entry() throws -> any FuzzEntry {
            switch self {
            case .library: try LibraryEntry()
            case .manifest: ManifestEntry()
            case .wire: WireEntry()
            case .control: ControlEntry()
            }
        }

        func inputs(in kind: String) throws -> [URL] {
            let folder = FuzzCorpusTests.directory.appending(path: "\(kind)/\(rawValue)")
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).sorted { $0.path < $1.path }
        }
    }

    @Test(arguments: Target.allCases)
    func `no input of a corpus and no earlier finding breaks a reader`(target: Target) throws {
        let entry = try target.entry()
        let corpus = try target.inputs(in: "Corpora")
        #expect(!corpus.isEmpty)
        for file in try corpus + target.inputs(in: "Findings") {
            let problem = entry.problem(with: Array(try Data(contentsOf: file)))
            #expect(problem == nil, "\(file.path)")
        }
    }

    @Test func `the scheduler that receives fuzzed messages and calls has sent tasks of every kind`() {
        // A push crosses to the runner as an event.
        #expect(FuzzedHost.atWork.sentKinds == Set(TaskKind.ofABI))
    }

    @Test(arguments: Target.allCases)
    func `no seeded change of a corpus breaks a reader`(target: Target) throws {
        let entry = try target.entry()
        let inputs = try target.inputs(in: "Corpora").map { Array(try Data(contentsOf: $0)) }
        var mutations = InputMutations(of: inputs, seed: 1)
        for round in 0..<500 {
            let input = mutations.next()
            guard let problem = entry.problem(with: input) else { continue }
            Issue.record("\(target.rawValue), change \(round): \(problem): \(Data(input).base64EncodedString())")
        }
    }
}
