// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    /// The scenarios are in `Tests/Agreement`, as one plugin that writes each answer to a file.
    @Suite("The fake host of libbgtask-testing answers every call as a real runner does")
    struct AgreementTests {
        private static let root = (#filePath as NSString).deletingLastPathComponent + "/../.."
        private static let includes = [
            "-I", "\(root)/SDK/Testing/include", "-I", "\(root)/SDK/Sources/CBackgroundTasks/include",
        ]
        private static let plugin: PluginIdentifier = "com.example.agreement"

        private static let scenarios = ["main", "extension", "fetch", "fails", "reserved", "behind"]

        @Test
        func `each scenario of Tests/Agreement has the same answers and records in the fake host and a real runner`()
            async throws
        {
            try await withScratch { directory in
                let program = try Self.compileFake(in: directory), library = try Self.compilePlugin(in: directory)
                for scenario in Self.scenarios {
                    let fake = try await Self.fakeRun(of: scenario, program)
                    let real = try await Self.realRun(of: scenario, library)
                    #expect(fake.answers.count >= 2, "\(scenario) has made no call")
                    for (index, pair) in zip(fake.answers, real.answers).enumerated() where pair.0 != pair.1 {
                        let before = real.answers[..<index].last ?? scenario
                        Issue.record(
                            "after \"\(before)\": the fake host answers \"\(pair.0)\", the runner \"\(pair.1)\""
                        )
                        break
                    }
                    #expect(fake.answers.count == real.answers.count, "\(scenario)")
                    #expect(fake.records == real.records, "\(scenario)")
                }
            }
        }

        @Test
        func `a call of complete in a visitor of pending requests completes the task and returns BGT_WRONG_PHASE`()
            async throws
        {
            try await withScratch { directory in
                let run = try await Self.realRun(of: "main", Self.compilePlugin(in: directory))
                let answers = try #require(run.answers.firstIndex(of: "complete in a visitor: BGT_WRONG_PHASE"))
                let later = run.answers[answers...]
                #expect(later.contains("is_expiring after the visit: 1"))
                #expect(later.contains("complete: BGT_ALREADY_COMPLETED"))
                #expect(run.records.contains("outcome 3 seen"))
            }
        }

        /// The answers that the plugin has received, and the records of the host.
        private struct Run {
            let answers: [String]
            let records: [String]
        }

        private static func lines(of text: String) -> [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }

        private static func sources(in directory: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".c") }.sorted()
                .map { "\(directory)/\($0)" }
        }

        // MARK: The fake host

        private static func compileFake(in directory: String) throws -> String {
            let program = "\(directory)/fake"
            let sources = try sources(in: "\(root)/SDK/Testing/Sources") + sources(in: "\(root)/Tests/Agreement")
            try StandIn.compile(["-std=c11", "-D_GNU_SOURCE", "-pthread"] + includes + ["-o", program] + sources)
            return program
        }

        private static func fakeRun(of scenario: String, _ program: String) async throws -> Run {
            try await withScratch { container in
                #expect(StandIn.spawn([program, scenario, container]) == 0)
                let read = { (file: String) in
                    lines(of: try String(contentsOfFile: "\(container)/\(file)", encoding: .utf8))
                }
                return Run(answers: try read("answers.txt"), records: try read("records.txt"))
            }
        }

        // MARK: The real runner

        private static func compilePlugin(in directory: String) throws -> String {
            let library = "\(directory)/libAgreement.so"
            let sources = try sources(in: "\(root)/Tests/Agreement").filter { !$0.hasSuffix("/Fake.c") }
            let flags = ["-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
            try StandIn.compile(flags + includes + ["-o", library] + sources)
            return library
        }

        private static func realRun(of scenario: String, _ library: String) async throws -> Run {
            let plan = plan(of: scenario)
            var run: Run?
            try await PlayedHost.with(library: library, of: plugin, plan) { host in
                let answers = AnsweringHost(host)
                let answering = Task { try await answers.answerAll() }
                try await play(scenario, plan, on: host, answers)
                await host.events.end(PlayedHost.launch)
                try await answering.value
                run = Run(
                    answers: lines(of: host.text("answers.txt")),
                    records: records(of: plan, host.messages)
                )
            }
            return try #require(run)
        }

        private static func plan(of scenario: String) -> PlayedPlan {
            var tasks: [RunnerPlan.Task] = []
            if scenario == "main" {
                let album = ContinuedTerms(title: "album", subtitle: "autumn")
                tasks = [
                    PlayedPlan.task("\(plugin).task", .healthResearch, index: 0, payload: Array("payload".utf8)),
                    PlayedPlan.task("\(plugin).album.autumn", .continued, index: 1, continued: album),
                    PlayedPlan.task("\(plugin).other", .refresh, index: 2),
                    PlayedPlan.task(
                        "\(plugin).watched",
                        index: 3,
                        claim: Claim(item: 71, fence: .max, isBound: true)
                    ),
                ]
            }
            tasks.append(PlayedPlan.task("fetch", .event, index: tasks.count))
            return PlayedPlan(
                role: scenario == "extension" ? .extension : .main,
                permitted: scenario == "fetch" ? [] : ["task", "other", "watched", "unregistered", "album.*"],
                settings: ["scenario": scenario, "value": "a value", "empty": ""],
                tasks: tasks
            )
        }

        /// Plays the host's part, except for the answers to calls.
        private static func play(
            _ scenario: String,
            _ plan: PlayedPlan,
            on host: PlayedHost,
            _ answers: AnsweringHost
        ) async throws {
            let status = await host.first { if case .entered(let status, _, _, _) = $0 { status } else { nil } }
            if status == 0 {
                if scenario == "main" {
                    // The next task waits for the refusal.
                    _ = await host.completion(of: plan.tasks[1].id)
                    await answers.refuseNext()
                    try host.release()
                    await host.logged("ready to expire")
                    try host.send(.expire([plan.tasks[3].id], .networkLost))
                    await host.logged("ready to expire assertions")
                    try host.send(.expireAssertions(.networkLost))
                    await host.logged("ready to stop")
                }
                for task in plan.tasks { _ = await host.completion(of: task.id) }
            }
            if status == 0 { return try host.send(.stop) }
            // A host kills a launch whose entry has failed; the runner releases the contexts before.
            let last = scenario == "fails" ? "released open" : "released task"
            await host.wait(for: "answers.txt") { String(decoding: $0, as: UTF8.self).contains("\(last)\n") }
            host.launcher.kill(PlayedHost.launch)
        }

        private static func records(of plan: PlayedPlan, _ messages: [RunnerMessage]) -> [String] {
            var records: [String] = []
            for case .entered(let status, _, _, _) in messages { records.append("entry \(status)") }
            for task in plan.tasks {
                let completions = messages.compactMap { message in
                    if case .completed(task.id, let outcome, let text) = message {
                        "outcome \(outcome.rawValue) \(text ?? "-")"
                    } else {
                        nil
                    }
                }
                records.append(completions.first ?? "outcome 0 -")
            }
            for case .violation(let kind, _) in messages { records.append("violation \(kind.rule?.rawValue ?? "")") }
            for case .log(let level, let task, let text) in messages {
                records.append("log \(level.rawValue) \(task == nil ? "launch" : "task") \(text)")
            }
            for case .fetchInterval(let interval?) in messages {
                records.append("interval \(interval.components.seconds)")
            }
            return records
        }
    }
}

/// Answers the calls of a plugin like a host without limits: it keeps the pending requests, and refuses identifiers
/// that the manifest does not permit for their kind.
private actor AnsweringHost {
    private let host: PlayedHost
    private var last: Int64 = 0
    private var pending: [ListedRequest] = []
    private var isToRefuse = false

    init(_ host: PlayedHost) { self.host = host }

    /// Refuses the next submission.
    func refuseNext() { isToRefuse = true }

    func answerAll() async throws {
        for number in 1...UInt64.max {
            guard let call = await host.call(number) else { return }
            try answer(call)
        }
    }

    private func answer(_ call: RunnerMessage) throws {
        switch call {
        case .submit(let number, let request, let payload): try host.send(submit(request, payload, number))
        case .cancel(let number, let identifier):
            pending.removeAll { $0.request.identifier == identifier }
            try host.send(.cancelled(number, isRecorded: true))
        case .cancelAll(let number):
            pending = []
            try host.send(.cancelled(number, isRecorded: true))
        case .pending(let number): try host.send(.pending(number, pending))
        default: break
        }
    }

    private func submit(_ request: TaskRequest, _ payload: [UInt8], _ call: CallNumber) -> HostMessage {
        let text = request.identifier.text
        if isToRefuse {
            isToRefuse = false
            return .refused(
                call,
                SubmissionRefusal(code: .unavailable, subReason: .notRecorded, message: "the disk is full")
            )
        }
        let isComposed = text.hasPrefix("com.example.agreement.album.")
        guard text.hasPrefix("com.example.agreement."), !isComposed || request.kind == .continued else {
            return .refused(
                call,
                SubmissionRefusal(code: .notPermitted, subReason: .identifierNotPermitted, message: "not permitted")
            )
        }
        last += 1
        pending.removeAll { $0.request.identifier == request.identifier }
        pending.append(ListedRequest(request: request, number: SubmissionNumber(rawValue: last), payload: payload))
        return .submitted(call, SubmissionNumber(rawValue: last))
    }
}
