// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import Testing

@Suite("The header states thread, phase and blocking of each function in one form", .proves("BGT-ABI-12"))
struct CallTagTests {
    /// The comment and the name of each function pointer of the header: functions of the tables, hooks and callbacks.
    private static func functions() throws -> [(name: String, comment: String)] {
        let text = try Header.text().split(separator: "/* ---- Layout")[0]
        let pattern =
            /\/\*((?:[^*]|\*(?!\/))*)\*\/\s*(?:typedef )?(?:int32_t|uint64_t|void|const char \*BGTASK_NONNULL|const void \*BGTASK_NULLABLE) \((?:\*)(?:BGTASK_\w+ )?(\w+)\)\(/
        return text.matches(of: pattern).map { (String($0.2), String($0.1)) }
    }

    @Test func `each function and callback of the header has one line with its thread and phases`() throws {
        let functions = try Self.functions()
        #expect(functions.count == 20 + 11 + 3 + 7)
        for function in functions {
            let tags = function.comment.matches(of: /@call thread=(any|main|queue|own|caller) phase=([a-z,]+)/)
            #expect(tags.count == 1, "\(function.name)")
            let phases = tags.first?.2.split(separator: ",") ?? []
            #expect(phases.allSatisfy { ["entry", "running", "stop"].contains($0) }, "\(function.name)")
        }
    }

    @Test
    func `each table function of the header states whether it blocks; calls that need a commit or an answer do`()
        throws
    {
        let blocking = try Self.functions().compactMap { function in
            function.comment.firstMatch(of: /blocks=(no|commit|answer)/).map { (function.name, String($0.1)) }
        }
        #expect(blocking.count == 20 + 11)
        let waiting = blocking.filter { $0.1 != "no" }.map { "\($0.0) \($0.1)" }
        let ofFeatures = [
            "checkpoint commit", "discard commit", "register_plugin commit", "unregister_plugin commit", "begin commit",
            "cancel commit", "list answer", "take answer",
        ]
        #expect(
            waiting == ["submit commit", "cancel commit", "cancel_all commit", "pending answer"] + ofFeatures
        )
    }
}
