// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtask plugin call calls a function with a given signature, and a wrong signature crashes only a runner")
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

    // MARK: Sandbox

    /// Calls `plain_greet` with `bgtask plugin call`. The function writes `greeting.txt` into the directory of the
    /// setting `directory`, which is outside of its container.
    private func greet(in directory: ScratchDirectory, _ options: [String]) async throws -> ProgramRun {
        let library = try directory.write(try await PluginCompiler.library("Plain"), to: "libPlain.so")
        try? FileManager.default.createDirectory(atPath: directory.file("place"), withIntermediateDirectories: true)
        return try await ProgramRun.of(
            BuiltProgram.command.path(),
            [
                "plugin", "call", library, "plain_greet", "setting:directory", "string:greeting.txt", "string:Hello",
                "payload", "--returns", "int64:success-when-nonnegative",
            ] + options
        )
    }

    @Test func `a function that bgtask plugin call runs writes to a directory only with the grant of --write`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let place = "directory=\(directory.file("place"))"
            let refused = try await greet(in: directory, ["--setting", place])
            #expect(refused.status == 1 && refused.error.contains("Permission denied"), "\(refused)")
            #expect(directory.text(of: "place/greeting.txt") == nil)
            let granted = try await greet(in: directory, ["--setting", place, "--write", directory.file("place")])
            #expect(granted.status == 0, "\(granted)")
            #expect(directory.text(of: "place/greeting.txt") == "Hello, \n")
        }
    }

    @Test func `a function that bgtask plugin call runs has the grants and settings of the manifest of --manifest`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            var plugin = TestPlugin("Plain", tasks: ["greet"])
            plugin.handlers = ["greet": FunctionBindingTests.greet.replacing("greeting }", with: "directory }")]
            plugin.settings = ["directory": directory.file("place")]
            plugin.grants = "settings: [ { setting: directory, access: write } ]"
            let manifest = try directory.write(plugin.manifest.utf8, to: "Plain.yaml")
            let run = try await greet(in: directory, ["--manifest", manifest])
            #expect(run.status == 0, "\(run)")
            #expect(directory.text(of: "place/greeting.txt") == "Hello, \n")
            try directory.write("manifest: 2\n".utf8, to: "Broken.yaml")
            let broken = try await greet(in: directory, ["--manifest", directory.file("Broken.yaml")])
            #expect(broken.status == 1 && broken.error.contains("the manifest is refused"), "\(broken)")
        }
    }

    @Test func `bgtask plugin call prints a refused system call with the option that grants it`() async throws {
        let refused = try await openSocket("int32:2")
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.error.contains("socket(AF_INET) was refused with EPERM; grant the network with --network"))
        let granted = try await openSocket("int32:2", ["--network"])
        #expect(granted.status == 0 && !granted.error.contains("was refused"), "\(granted)")
        let unix = try await openSocket("int32:1")
        #expect(unix.status == 1, "\(unix)")
        #expect(unix.error.contains("socket(AF_UNIX) was refused with EPERM; grant the Unix socket with --unix PATH"))
    }

    /// Calls `socket` of the C library for a stream socket with `bgtask plugin call`. `family` is the typed argument of
    /// the command, such as `int32:2` for `AF_INET`.
    private func openSocket(_ family: String, _ options: [String] = []) async throws -> ProgramRun {
        let maps = try #require(fopen("/proc/self/maps", "r"))
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4096)
        var path: Substring?
        while path == nil, fgets(&line, Int32(line.count), maps) != nil {
            let text = line.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) ?? "" }
            path = text.split(whereSeparator: \.isWhitespace).last.flatMap { $0.hasSuffix("/libc.so.6") ? $0 : nil }
        }
        let library = String(try #require(path))
        return try await ProgramRun.of(
            BuiltProgram.command.path(),
            ["plugin", "call", library, "socket", family, "int32:1", "int32:0"]
                + ["--returns", "int32:success-when-nonnegative"] + options
        )
    }

    @Test func `a function that bgtask plugin call runs opens the sockets that its manifest and its options grant`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            var plugin = TestPlugin("Plain", tasks: ["greet"])
            plugin.handlers = ["greet": FunctionBindingTests.greet]
            plugin.settings = ["greeting": "Hello"]
            plugin.grants = "network: { connect: [443] }"
            let manifest = try directory.write(plugin.manifest.utf8, to: "Plain.yaml")
            let granted = try await openSocket("int32:2", ["--manifest", manifest])
            #expect(granted.status == 0 && !granted.error.contains("was refused"), "\(granted)")
            let refused = try await openSocket("int32:1", ["--manifest", manifest])
            #expect(refused.status == 1, "\(refused)")
            let both = try await openSocket("int32:1", ["--manifest", manifest, "--unix", directory.path])
            #expect(both.status == 0, "\(both)")
        }
    }

    @Test
    func `bgtask plugin call prints a grant that the kernel opens wider; --isolation required leaves the grant out`()
        async throws
    {
        let wide = try await openSocket("int32:1", ["--unix", "/nowhere"])
        guard wide.error.contains("the grant unix /nowhere is not enforced: this kernel") else {
            return #expect(wide.status == 0 && !wide.error.contains("the grant unix"), "\(wide)")
        }
        let required = try await openSocket("int32:1", ["--unix", "/nowhere", "--isolation", "required"])
        #expect(required.status == 1, "\(required)")
        #expect(required.error.contains("the grant unix /nowhere is left out, because isolation is required"))
    }

    @Test func `bgtask plugin call prints unenforced guarantees about memory and files, also in JSON`() async throws {
        let run = try await call("plain_make", "int32:1", "--returns", "pointer:success-when-non-null")
        let memory = "not enforced: memory: bgtask plugin call uses no control group"
        #expect(run.status == 0 && run.error.contains(memory), "\(run)")
        #expect(!run.error.contains("not enforced: files"))
        let open = try await call(
            "plain_make",
            "int32:1",
            "--returns",
            "pointer:success-when-non-null",
            "--isolation",
            "off",
            "--json"
        )
        #expect(open.status == 0 && open.error.contains("not enforced: files: isolation is off"), "\(open)")
        #expect(open.output.contains("\"not_enforced\"") && open.output.contains("\"isolation is off\""))
    }

    @Test func `bgtask plugin call takes a secret from the file that --secret names, unless others can read the file`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let secret = try directory.write("Ahoy\n".utf8, to: "secret")
            chmod(secret, 0o600)
            let arguments = [
                "plain_greet", "container-path", "string:greeting.txt", "setting:greeting", "payload", "--container",
                directory.path, "--secret", "greeting=\(secret)", "--returns", "int64:success-when-nonnegative",
            ]
            let library = try directory.write(try await PluginCompiler.library("Plain"), to: "libPlain.so")
            let command = ["plugin", "call", library] + arguments
            let run = try await ProgramRun.of(BuiltProgram.command.path(), command)
            #expect(run.status == 0, "\(run)")
            #expect(directory.text(of: "greeting.txt") == "Ahoy, \n")
            chmod(secret, 0o644)
            let refused = try await ProgramRun.of(BuiltProgram.command.path(), command)
            #expect(refused.status == 1 && refused.error.contains("chmod 600 \(secret)"), "\(refused)")
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
        (["--isolation", "of"], "write \"off\""),
        (["--isolation", "off", "--network"], "leave out the grants, or --isolation"),
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
