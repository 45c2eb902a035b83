// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("Generated calls find no answer of a host that differs from the API description", .timeLimit(.minutes(30)))
struct GeneratedCallTests {
    private static let program = PreparedFile.path("schemathesis/bin/schemathesis")
    private static let script = URL(filePath: #filePath).appending(path: "../../Schemathesis/run").standardized.path

    @Test(.enabled(if: program != nil, "takes make schemathesis, with PyPI"))
    func `a host gives only documented answers to the calls that Schemathesis generates from its description`()
        async throws
    {
        let run = try await Self.run("--seed", "1", "--examples", "20")
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }

    @Test(.enabled(if: program != nil, "takes make schemathesis, with PyPI"))
    func `the generated calls find a status that the description lacks`() async throws {
        try await ScratchDirectory.with { directory in
            var text = APIDescription.text
            let cancel = try #require(text.range(of: "operationId: taskCancel")).upperBound
            let status = try #require(text.range(of: "\"404\"", range: cancel..<text.endIndex))
            text.replaceSubrange(status, with: "\"410\"")
            let description = try directory.write(text.utf8, to: "openapi.yaml")
            let run = try await Self.run("--only", "taskCancel", "--examples", "5", "--description", description)
            #expect(run.status == 1 && run.output.contains("Undocumented status code"), "\(run.output)\(run.error)")
        }
    }

    private static func run(_ options: String...) async throws -> ProgramRun {
        let program = try #require(Self.program)
        let programs = (try BuiltProgram.host.path() as NSString).deletingLastPathComponent
        return try await HostSlots.withSlot {
            try await ProgramRun.of("/usr/bin/python3", [script, programs, program] + options, within: .seconds(600))
        }
    }
}
