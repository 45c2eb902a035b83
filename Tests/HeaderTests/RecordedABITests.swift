// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@Suite("The header agrees with the recorded ABI, on every architecture and for generators of bindings")
struct RecordedABITests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../ABI/check").standardizedFileURL
    private static let skipped: Int32 = 77

    private func check(_ arguments: [String], include: URL? = nil) throws -> Tool.Result {
        let environment = include.map { ["BGTASK_INCLUDE=\($0.path)"] } ?? []
        return try Tool.run("env", environment + [Self.script.path] + arguments)
    }

    /// The message of a check that is skipped because a tool is missing; nil when the check is not skipped.
    private static func obstacle(to arguments: String...) -> String? {
        guard let result = try? Tool.run(script, arguments), result.status == skipped else { return nil }
        return result.output
    }

    private static let cross = ["x86_64", "aarch64"].compactMap { obstacle(to: "layouts", $0) }.first
    private static let pycparser = obstacle(to: "pycparser")
    private static let cffi = obstacle(to: "cffi")
    private static let abidiff = obstacle(to: "abidiff")

    /// The text that `check` prints for the header with one passage replaced; nil when it finds no difference.
    private func complaint(replacing passage: String, with other: String, _ arguments: [String]) throws -> String? {
        let text = try Header.text()
        try #require(text.contains(passage), "the header has no \(passage)")
        return try Scratch.with { scratch in
            // Without the header's own assertions, which compare the same with the present numbers.
            let assertions = text.replacing(passage, with: other).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            .filter { !$0.hasPrefix("BGTASK_SIZE_(") && !$0.hasPrefix("BGTASK_AT_(") }
            _ = try scratch.write(assertions.joined(separator: "\n"), to: "bgtask.h")
            let result = try check(arguments, include: scratch.directory)
            return result.status == 0 ? nil : result.output
        }
    }

    @Test(.enabled(if: cross == nil, "\(cross ?? "")"), arguments: ["x86_64", "aarch64"])
    func `the structs of the header have the recorded layouts`(architecture: String) throws {
        let result = try check(["layouts", architecture])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(.enabled(if: cross == nil, "\(cross ?? "")"), arguments: ["x86_64", "aarch64"])
    func `the ABI check reports a widened struct member as a break, with the remedy`(architecture: String) throws {
        let first = "    uint32_t expiration_reason;"
        let complaint = try complaint(
            replacing: first,
            with: "    uint64_t expiration_reason;",
            ["layouts", architecture]
        )
        #expect(complaint?.contains("struct bgt_task_info: size 88") == true)
        #expect(complaint?.contains("This is an ABI break") == true)
        #expect(complaint?.contains("add the member at the end") == true)
    }

    @Test(.enabled(if: cross == nil, "\(cross ?? "")"))
    func `the ABI check reports a member added at the end of bgt_task_info as growth, with the remedy`() throws {
        let complaint = try complaint(
            replacing: "} bgt_task_info;",
            with: "    uint64_t later;\n} bgt_task_info;",
            ["layouts", "x86_64"]
        )
        #expect(complaint?.contains("+   88 uint64_t later") == true)
        #expect(complaint?.contains("Raise BGTASK_ABI_MINOR") == true && complaint?.contains("ABI break") == false)
    }

    /// Commits the record to a repository, with the tag of its release if `isReleased`, changes the header there, and
    /// renews the record.
    private func renewal(isReleased: Bool, _ replacements: (String, String)...) throws -> Tool.Result {
        try Scratch.with { scratch in
            var text = try Header.text()
            for (passage, other) in replacements {
                try #require(text.contains(passage), "the header has no \(passage)")
                text = text.replacing(passage, with: other)
            }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("BGTASK_SIZE_(") && !$0.hasPrefix("BGTASK_AT_(") }
            _ = try scratch.write(lines.joined(separator: "\n"), to: "bgtask.h")
            let script = """
                set -e
                cp --recursive "$1" "$2/ABI"
                cd "$2"
                git init --quiet .
                git add ABI
                git -c user.name=tests -c user.email=tests@example.com commit --quiet --message record
                if [ "$3" = true ]; then git tag abi-1.0; fi
                BGTASK_INCLUDE=$2 ABI/check renew
                """
            let record = Self.script.deletingLastPathComponent().path
            return try Tool.run("bash", ["-c", script, "bash", record, scratch.directory.path, "\(isReleased)"])
        }
    }

    /// The status of a renewal without an error. Without abigail-tools only the layouts are renewed.
    private static let accepted: Set<Int32> = [0, skipped]

    private static let growth = ("} bgt_task_info;", "    uint64_t later;\n} bgt_task_info;")
    private static let widening = ("    uint32_t expiration_reason;", "    uint64_t expiration_reason;")
    private static let minor = ("#define BGTASK_ABI_MINOR 0u", "#define BGTASK_ABI_MINOR 1u")

    @Test(.enabled(if: cross == nil, "\(cross ?? "")"))
    func `before the tag abi-1.0, the record of the ABI is renewed for a break and for growth`() throws {
        for change in [Self.widening, Self.growth] {
            let result = try renewal(isReleased: false, change)
            #expect(Self.accepted.contains(result.status), "\(result.output)")
        }
    }

    @Test(.enabled(if: cross == nil, "\(cross ?? "")"))
    func `from the tag abi-1.0 on, no renewal of the record accepts a break, even with a raised minor`() throws {
        let result = try renewal(isReleased: true, Self.widening, Self.minor)
        #expect(result.status == 1)
        #expect(result.output.contains("This is an ABI break") && result.output.contains("add the member at the end"))
        #expect(result.output.contains("The tag abi-1.0 has released the layout: undo the change"))
    }

    @Test(.enabled(if: cross == nil, "\(cross ?? "")"))
    func `from the tag abi-1.0 on, the record is renewed for growth only if BGTASK_ABI_MINOR has been raised`() throws {
        let refused = try renewal(isReleased: true, Self.growth)
        #expect(refused.status == 1)
        #expect(refused.output.contains("BGTASK_ABI_MINOR is still 0. Raise it in bgtask.h to 1"), "\(refused.output)")
        let result = try renewal(isReleased: true, Self.growth, Self.minor)
        #expect(Self.accepted.contains(result.status), "\(result.output)")
    }

    @Test(.enabled(if: cross == nil && abidiff == nil, "\(cross ?? abidiff ?? "")"))
    func `from the tag abi-1.0 on, no renewal of the record accepts a narrowed bgt_task`() throws {
        let narrowing = ("typedef uint64_t bgt_task;", "typedef uint32_t bgt_task;")
        let result = try renewal(isReleased: true, narrowing)
        #expect(result.status == 1 && result.output.contains("The tag abi-1.0 has released"), "\(result.output)")
    }

    @Test(.enabled(if: pycparser == nil, "\(pycparser ?? "")"))
    func `pycparser reads the header with BGTASK_DECLARATIONS_ONLY, and finds every recorded struct and no function`()
        throws
    {
        let result = try check(["pycparser"])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(.enabled(if: cffi == nil, "\(cffi ?? "")"))
    func `cffi reads the header with BGTASK_DECLARATIONS_ONLY, and lays out every struct as recorded`() throws {
        let result = try check(["cffi"])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(.enabled(if: abidiff == nil, "\(abidiff ?? "")"))
    func `abidiff finds no difference between a library with every type of the header and the record`() throws {
        let result = try check(["abidiff"])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(.enabled(if: abidiff == nil, "\(abidiff ?? "")"))
    func `abidiff reports a narrowed bgt_task as an ABI break`() throws {
        let complaint = try complaint(
            replacing: "typedef uint64_t bgt_task;",
            with: "typedef uint32_t bgt_task;",
            ["abidiff"]
        )
        #expect(complaint?.contains("bgt_task") == true && complaint?.contains("This is an ABI break") == true)
    }
}
