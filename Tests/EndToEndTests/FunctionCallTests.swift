// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtask plugin call tries a signature; a wrong one costs only a runner")
struct FunctionCallTests {
    private func call(_ arguments: String...) async throws -> ProgramRun {
        try await ScratchDirectory.with { directory in
            let library = try directory.write(try await PluginCompiler.library("Plain"), to: "libPlain.so")
            return try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["plugin", "call", library] + arguments.map { $0 == "DIRECTORY" ? directory.path : $0 }
            )
        }
    }

    @Test func `bgtask plugin call shows the returned value, the out-arguments, the verdict and the time`() async throws
    {
        let run = try await call(
            "plain_poll",
            "cancel-flag",
            "remaining-ms",
            "out-string:64",
            "out-int64",
            "--budget",
            "200ms",
            "--returns",
            "int32:success-when-zero"
        )
        #expect(run.status == 0, "\(run.error)")
        #expect(run.output.hasPrefix("function  int32_t plain_poll(int32_t *, int64_t, char *, size_t, int64_t *)\n"))
        #expect(
            run.output.contains(
                "returned  plain_poll returned 0; out-string \"stopped\\u{1B}[2J with time given\"; out-int64 "
            )
        )
        #expect(run.output.contains("verdict   success, by success-when-zero\n"))
        #expect(run.output.contains("took "))
    }

    @Test func `bgtask plugin call takes payload, settings and container from the command line`() async throws {
        try await ScratchDirectory.with { directory in
            let payload = try directory.write("world".utf8, to: "payload")
            let run = try await call(
                "plain_greet",
                "container-path",
                "string:greeting.txt",
                "setting:greeting",
                "payload",
                "--container",
                directory.path,
                "--setting",
                "greeting=Hello",
                "--payload",
                payload,
                "--returns",
                "int64:success-when-nonnegative",
                "--json"
            )
            #expect(run.status == 0, "\(run.error)")
            #expect(
                run.output.contains(#""returned" : "plain_greet returned 13""#)
                    || run.output.contains(#""returned": "plain_greet returned 13""#)
            )
            let text = try String(contentsOfFile: directory.file("greeting.txt"), encoding: .utf8)
            #expect(text == "Hello, world\n")
        }
    }

    @Test func `a failed function makes bgtask plugin call exit with 1 and print the returned value`() async throws {
        let run = try await call("plain_fail")
        #expect(run.status == 1)
        #expect(
            run.error.contains("the function failed: plain_fail returned -1; errno was 28 (No space left on device)")
        )
    }

    @Test func `bgtask plugin call reports a crash of the function with signal and signature`() async throws {
        let run = try await call("plain_length", "int32:5")
        #expect(run.status == 1)
        #expect(run.error.contains("int32_t plain_length(int32_t) of "))
        #expect(run.error.contains("ended without a result: signal 11 (SIGSEGV)"))
    }

    @Test func `bgtask plugin call kills a function that does not return within budget and grace period`()
        async throws
    {
        let run = try await call("plain_stay", "--returns", "void", "--budget", "100ms", "--grace-period", "50ms")
        #expect(run.status == 1)
        #expect(run.error.contains("void plain_stay(void) of "))
        #expect(run.error.contains("did not return within 100ms and a grace period of 50ms; its runner was killed"))
    }

    @Test func `bgtask plugin call of a function that the library does not export suggests the nearest name`()
        async throws
    {
        let run = try await call("plain_stya")
        #expect(run.status == 1)
        #expect(run.error.contains("does not export \"plain_stya\"") && run.error.contains("write \"plain_stay\""))
    }

    @Test(arguments: [
        (["int46:5"], "write \"int64\""), (["int64"], "write int64:-5"),
        (["int32:5000000000"], "write a value in that range"),
        (["payload:5"], "write only payload"), (["setting:directory"], "add --setting directory=VALUE"),
        (["bytes:0"], "two digits for each byte"), (["--returns", "int32"], "write int32:success-when-zero"),
        (["--returns", "int32:success-when-zreo"], "write \"success-when-zero\""),
        (["--budget", "soon"], "write it like 30s"), (["--payload", "/dev/null"], "--payload has no effect"),
    ])
    func `wrong syntax of bgtask plugin call is refused before anything runs, with the remedy`(
        arguments: [String],
        remedy: String
    )
        async throws
    {
        let run = try await ProgramRun.of(
            BuiltProgram.command.path(),
            ["plugin", "call", "/nowhere.so", "run"] + arguments
        )
        #expect(run.status == 2)
        #expect(run.error.contains(remedy), "\(run.error)")
    }
}
