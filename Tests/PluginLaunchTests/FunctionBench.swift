// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

/// Sample functions in one library, which real runners call. The library does not refer to bgtask.
struct FunctionBench {
    static let settings = ["directory": "/var/log/app", "pattern": ""]

    let functions: [SampleFunction]
    let library: String
    let records: String

    /// Compiles the functions once, and runs `body` with them.
    static func with(_ functions: [SampleFunction], _ body: (FunctionBench) async throws -> Void) async throws {
        try await withScratch { directory in
            let source = "\(directory)/functions.c"
            let text = SampleFunction.prelude + functions.map(\.code).joined(separator: "\n")
            try text.write(toFile: source, atomically: true, encoding: .utf8)
            let bench = FunctionBench(
                functions: functions,
                library: "\(directory)/libfunctions.so",
                records: "\(directory)/records.txt"
            )
            try StandIn.compile([
                "-std=gnu11", "-w", "-shared", "-fPIC", "-DRECORD=\"\(bench.records)\"", "-o", bench.library, source,
            ])
            try await body(bench)
        }
    }

    /// Calls the functions in one launch, one task each, and compares their arguments, outputs and results with the
    /// expected ones.
    func call(_ functions: [SampleFunction], payload: [UInt8] = Array("payload".utf8)) async throws {
        let handlers = functions.compactMap(\.handler)
        #expect(handlers.count == functions.count)
        let tasks = handlers.enumerated().map { index, handler in
            PlayedPlan.task(handler.identifier.text, index: index, payload: payload)
        }
        let plan = PlayedPlan(
            permitted: functions.map(\.name),
            settings: Self.settings,
            handlers: handlers,
            tasks: tasks
        )
        try await PlayedHost.with(library: library, of: "com.example.sample", plan) { host in
            for (function, task) in zip(functions, tasks) {
                let (outcome, text) = await host.returned(task.id)
                #expect(text == function.returnedText)
                #expect(outcome == (function.outcome ? .success : .failure), "\(function.name): \(text)")
            }
            _ = try await host.stop()
            let lines = try String(contentsOfFile: records, encoding: .utf8).split(separator: "\n").map(String.init)
            let byName = Dictionary(lines.map { ($0.prefix { $0 != " " }, $0) }, uniquingKeysWith: { $0 + "\n" + $1 })
            for function in functions {
                let record = function.record(payload: payload, container: host.directory, settings: Self.settings)
                #expect(
                    (byName[function.name[...]] == record) as Bool,
                    "\(function.handler?.signature ?? function.name)"
                )
            }
        }
    }
}
