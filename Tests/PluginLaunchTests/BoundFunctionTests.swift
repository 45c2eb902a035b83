// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A bound function of any library is called as its manifest describes")
    struct BoundFunctionTests {
        // MARK: Arguments

        @Test func `every kind of input argument arrives in a bound function, numbers with their extreme values`()
            async throws
        {
            let long = String(repeating: "x", count: 65_536)
            let functions = [
                SampleFunction(
                    name: "integers",
                    arguments: [
                        .int32(.min), .int32(.max), .int32(-1), .uint32(0), .uint32(.max), .int64(.min), .int64(.max),
                        .uint64(0), .uint64(.max), .bool(true), .bool(false),
                    ],
                    result: .void
                ),
                SampleFunction(
                    name: "doubles",
                    arguments: [
                        .double(0), .double(-0.0), .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude),
                        .double(-.pi),
                    ],
                    result: .void
                ),
                SampleFunction(
                    name: "texts",
                    arguments: [
                        .string(""), .string("/var/log"), .string("ключ 🧊"), .string(long), .containerPath,
                        .setting("directory"), .setting("pattern"), .null,
                    ],
                    result: .void
                ),
                SampleFunction(
                    name: "blocks",
                    arguments: [
                        .bytes([]), .bytes([0]), .bytes([0, 255, 0, 1]), .bytes(Array(repeating: 7, count: 65_536)),
                        .payload,
                    ],
                    result: .void
                ),
                SampleFunction(name: "surroundings", arguments: [.cancelFlag, .remainingMilliseconds], result: .void),
                SampleFunction(name: "nothing", arguments: [], result: .void),
            ]
            try await FunctionBench.with(functions) { try await $0.call(functions) }
        }

        @Test func `32 mixed arguments, more than the registers hold, arrive in a bound function`() async throws {
            let mixed: [FunctionArgument] = (0..<32).map { index in
                switch index % 5 {
                case 0: .int32(Int32(-index))
                case 1: .double(Double(index) / 3)
                case 2: .uint64(.max - UInt64(index))
                case 3: .bool(index % 2 == 1)
                default: .double(-Double(index))
                }
            }
            let functions = [
                SampleFunction(name: "mixed", arguments: mixed, result: .int32(.zero)),
                SampleFunction(name: "narrow", arguments: (0..<32).map { .int32(Int32($0) - 16) }, result: .void),
                SampleFunction(name: "wide", arguments: (0..<32).map { .double(Double($0)) }, result: .void),
                SampleFunction(name: "pairs", arguments: (0..<32).map { .bytes([UInt8($0)]) }, result: .void),
            ]
            try await FunctionBench.with(functions) { try await $0.call(functions) }
        }

        @Test(arguments: [0, 1, 65_536])
        func `a payload argument of a bound function arrives with its length, and is not null when empty`(count: Int)
            async throws
        {
            let function = SampleFunction(name: "taker", arguments: [.payload, .int32(5)], result: .void)
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            try await FunctionBench.with([function]) { try await $0.call([function], payload: payload) }
        }

        // MARK: Results

        @Test
        func `integer and pointer results of a bound function are judged by their success rules, at extreme values`()
            async throws
        {
            let values: [Int64] = [0, 1, -1, Int64(Int32.min), Int64(Int32.max), .min, .max, 1 << 32]
            var functions: [SampleFunction] = []
            for (index, value) in values.enumerated() {
                for rule in FunctionResult.SuccessRule.allCases {
                    for (type, result) in [("i", FunctionResult.int32(rule)), ("l", .int64(rule))] {
                        var function = SampleFunction(name: "\(type)\(functions.count)", arguments: [], result: result)
                        function.returned = value
                        functions.append(function)
                    }
                }
                var pointer = SampleFunction(name: "p\(index)", arguments: [], result: .pointer)
                pointer.returned = value
                functions.append(pointer)
            }
            // The lower half of this value is 0, and an int32_t has only that half.
            #expect(functions.contains { $0.returned == 1 << 32 && $0.returnedText.hasSuffix(" 0") && $0.outcome })
            try await FunctionBench.with(functions) { try await $0.call(functions) }
        }

        @Test func `a bound function's out-strings, cut at their size, and out-integers are reported after the call`()
            async throws
        {
            var function = SampleFunction(
                name: "writer",
                arguments: [.outString(size: 64), .outInt64, .outString(size: 4), .outString(size: 1), .outInt64],
                result: .int32(.zero)
            )
            function.leftText = "trimmed 3 files"
            function.leftNumber = .min
            #expect(
                function.returnedText == """
                    writer returned 0; out-string "trimmed 3 files"; out-int64 -9223372036854775808; \
                    out-string "trim"; out-string "t"; out-int64 -9223372036854775808
                    """
            )
            try await FunctionBench.with([function]) { try await $0.call([function]) }
        }

        @Test
        func `out-values of a bound function share one text limit, and long strings do not displace integers`()
            async throws
        {
            let code = """
                #include <stdint.h>
                #include <string.h>
                int run(char *a, size_t n, char *b, size_t m, int64_t *number) {
                    for (size_t i = 0; i + 2 < n; i += 2) memcpy(a + i, "\\xc3\\xa9", 2);
                    memset(b, 'b', m); *number = 42; return 0;
                }
                """
            let arguments: [FunctionArgument] = [.outString(size: 65_536), .outString(size: 65_536), .outInt64]
            try await launch(code, arguments, .int32(.zero)) { host in
                let (outcome, text) = await host.returned(task)
                #expect(outcome == .success)
                #expect(text.utf8.count <= 4_096 && text.utf8.count > 4_090, "\(text.utf8.count)")
                #expect(text.hasSuffix("b...\"; out-int64 42") && text.contains("é...\"; out-string \"b"), "\(text)")
                _ = try await host.stop()
            }
        }

        @Test func `the report of a failed bound function has errno and its description`() async throws {
            let code = "#include <errno.h>\nint run(void) { errno = ENOENT; return -1; }"
            try await launch(code, [], .int32(.zero)) { host in
                let (outcome, text) = await host.returned(task)
                #expect(outcome == .failure)
                #expect(text == "run returned -1; errno was 2 (No such file or directory)")
                _ = try await host.stop()
            }
        }

        // MARK: Time

        private static let polling = """
            #include <stdatomic.h>
            #include <stdint.h>
            #include <stdio.h>
            #include <unistd.h>
            int run(int32_t *flag, int64_t left, char *out, size_t size) {
                puts("polling"); fflush(stdout);
                while (!atomic_load((_Atomic int32_t *)flag)) usleep(1000);
                snprintf(out, size, "flag %d, in time %d", *flag, left > 0);
                return 0;
            }
            """
        private static let polled: [FunctionArgument] = [.cancelFlag, .remainingMilliseconds, .outString(size: 32)]

        @Test func `a host's expiration sets a bound function's cancel flag, and the function can still succeed`()
            async throws
        {
            try await launch(Self.polling, Self.polled, .int32(.zero)) { host in
                _ = await host.first { if case .expirationHandler(_, isSet: true) = $0 { true } else { nil } }
                try host.send(.expire([task], .stoppedByUser))
                let (outcome, text) = await host.returned(task)
                #expect(outcome == .success)
                #expect(text == "run returned 0; out-string \"flag 1, in time 1\"")
                #expect(try await host.stop().termination == .exited(code: 0))
            }
        }

        @Test func `the runner sets a bound function's cancel flag at the deadline without a message of the host`()
            async throws
        {
            try await launch(Self.polling, Self.polled, .int32(.zero), budget: .milliseconds(300)) { host in
                let (outcome, _) = await host.returned(task)
                #expect(outcome == .success)
                #expect(host.messages.contains(.expiring([task], .budget)))
                _ = try await host.stop()
            }
        }

        @Test
        func `a bound function in a launch without a fixed budget receives the largest integer as remaining time`()
            async throws
        {
            let code = "#include <stdint.h>\nint64_t run(int64_t left) { return left; }"
            try await launch(code, [.remainingMilliseconds], .int64(.nonnegative), budget: nil) { host in
                #expect(await host.returned(task).text == "run returned 9223372036854775807")
                _ = try await host.stop()
            }
        }

        // MARK: Failures

        @Test func `a crash of a bound function ends the runner, whose crash record names the task`() async throws {
            try await launch("int run(int *p) { return *p; }", [.null], .int32(.zero)) { host in
                let end = await host.events.end(PlayedHost.launch)
                #expect(end.termination == .signaled(SIGSEGV))
                #expect(end.lastWords?.task == task)
            }
        }

        @Test func `a bound function whose manifest has a wrong signature crashes its runner`() async throws {
            let code = "#include <string.h>\nint run(const char *text) { return (int)strlen(text); }"
            try await launch(code, [.int32(5)], .int32(.nonnegative)) { host in
                #expect(await host.events.end(PlayedHost.launch).termination == .signaled(SIGSEGV))
            }
        }

        @Test func `a library that does not export the bound function is not loaded`() async throws {
            let code =
                "#include <stdlib.h>\nint walk(void) { return 0; } __attribute__((constructor)) static void c(void) { abort(); }"
            try await launch(code, [], .void) { host in
                let message = await host.first { if case .loadFailed(let message) = $0 { message } else { nil } }
                #expect(
                    message.hasSuffix(
                        "does not export \"run\"; bind one of the functions that nm -D --defined-only lists with a T, W or i"
                    )
                )
                #expect(await host.events.end(PlayedHost.launch).termination == .exited(code: 0))
            }
        }

        @Test
        func `a libffi that cannot be loaded is reported with its package, not as a failed library of the plugin`()
            async throws
        {
            try await withScratch { directory in
                try "no library".write(
                    toFile: "\(directory)/\(FunctionBinding.libffi)",
                    atomically: true,
                    encoding: .utf8
                )
                let path = RunnerEnvironment.Variable(name: "LD_LIBRARY_PATH", value: directory)
                let environment = RunnerEnvironment(LaunchFixture.variables.variables + [path])
                try await launch("int run(void) { return 0; }", [], .void, environment: environment) { host in
                    let message = await host.first { if case .ffiMissing(let text) = $0 { text } else { nil } }
                    #expect(message.hasPrefix("libffi.so.8, which calls bound functions, cannot be loaded: "))
                    #expect(message.hasSuffix("; install libffi8"))
                    #expect(await host.events.end(PlayedHost.launch).termination == .exited(code: 0))
                }
            }
        }

        // MARK: libffi

        @Test func `libffi is loaded in a launch with a bound function, and not in a launch of a plugin without one`()
            async throws
        {
            try await launch(Self.polling, Self.polled, .int32(.zero)) { host in
                #expect(try await maps(of: host, after: "polling").contains("libffi"))
                try host.send(.expire([task], .stoppedByUser))
                _ = await host.returned(task)
                _ = try await host.stop()
            }
            let plan = PlayedPlan(
                lane: .continued,
                permitted: ["export.*"],
                budget: nil,
                tasks: [
                    PlayedPlan.task(
                        "com.example.progresses.export.7",
                        .continued,
                        continued: ContinuedTerms(title: "Export")
                    )
                ]
            )
            try await PlayedHost.with("Progresses", plan) { host in
                await host.logged("progresses has begun")
                let process = await host.events.ready(PlayedHost.launch)
                #expect(!(try String(contentsOfFile: "/proc/\(process.pid)/maps", encoding: .utf8)).contains("libffi"))
                try host.release()
                _ = await host.completion(of: TaskID(launch: PlayedHost.launch, index: 0))
                _ = try await host.stop()
            }
        }

        private func maps(of host: PlayedHost, after line: String) async throws -> String {
            _ = await host.events.first { event in
                if case .output(_, _, line) = event { true } else { nil }
            }
            let process = await host.events.ready(PlayedHost.launch)
            return try String(contentsOfFile: "/proc/\(process.pid)/maps", encoding: .utf8)
        }

        // MARK: One function

        private let task = TaskID(launch: PlayedHost.launch, index: 0)

        private func launch(
            _ code: String,
            _ arguments: [FunctionArgument],
            _ result: FunctionResult,
            budget: Duration? = .seconds(600),
            environment: RunnerEnvironment = LaunchFixture.variables,
            _ body: (PlayedHost) async throws -> Void
        ) async throws {
            try await withScratch { directory in
                let (source, library) = ("\(directory)/run.c", "\(directory)/librun.so")
                try code.write(toFile: source, atomically: true, encoding: .utf8)
                try StandIn.compile(["-std=gnu11", "-w", "-shared", "-fPIC", "-o", library, source])
                let identifier = try #require(TaskIdentifier("com.example.sample.run"))
                let plan = PlayedPlan(
                    permitted: ["run"],
                    handlers: [
                        FunctionBinding(identifier: identifier, symbol: "run", arguments: arguments, result: result)
                    ],
                    budget: budget,
                    tasks: [PlayedPlan.task(identifier.text)]
                )
                try await PlayedHost.with(
                    library: library,
                    of: "com.example.sample",
                    plan,
                    environment: environment,
                    body
                )
            }
        }
    }

    @Suite("A thousand random signatures are called correctly")
    struct ThousandSignatureTests {
        static let seed: UInt64 = 0x6267_7461_736b
        /// Number of functions per launch. Each takes a thread of its runner.
        private static let atOnce = 125

        @Test
        func `arguments and results of a thousand bound functions with random signatures are transferred correctly`()
            async throws
        {
            var dice = SeededGenerator(seed: Self.seed)
            let functions = (0..<1_000).map { SampleFunction.random(named: "f\($0)", from: &dice) }
            #expect(Set(functions.compactMap { $0.handler.map { Signature($0) } }).count > 900)
            try await FunctionBench.with(functions) { bench in
                for start in stride(from: 0, to: functions.count, by: Self.atOnce) {
                    try await bench.call(Array(functions[start..<start + Self.atOnce]))
                }
            }
        }

        private struct Signature: Hashable {
            let arguments: [FunctionArgument.Kind]
            let result: FunctionResult.Kind

            init(_ handler: FunctionBinding) {
                (arguments, result) = (handler.arguments.map(\.kind), handler.result.kind)
            }
        }
    }
}
