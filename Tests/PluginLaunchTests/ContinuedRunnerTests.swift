// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import StatementTraits
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A real runner serves continued tasks on its host's commands")
    struct ContinuedRunnerTests {
        private static let album = ContinuedTerms(title: "Export", subtitle: "album 7")

        private func progresses(_ gracePeriod: Duration = .seconds(60)) -> PlayedPlan {
            let task = PlayedPlan.task(
                "com.example.progresses.export.7",
                .continued,
                continued: Self.album,
                payload: Array("photos".utf8)
            )
            return PlayedPlan(
                lane: .continued,
                permitted: ["export.*"],
                budget: nil,
                gracePeriod: gracePeriod,
                tasks: [task]
            )
        }

        private let exported = TaskID(launch: PlayedHost.launch, index: 0)

        @Test(.proves(72, 77, 79))
        func `a continued task has no deadline, receives titles and payload, and its last progress report arrives`()
            async throws
        {
            try await PlayedHost.with("Progresses", progresses()) { host in
                let entered = await host.first { if case .entered(_, let names, _, _) = $0 { names } else { nil } }
                #expect(entered.map(\.description) == ["com.example.progresses.export.7"])
                await host.logged("progresses has begun")
                let info = host.text("info.txt")
                #expect(
                    info == """
                        com.example.progresses.export.7 4 0 3 "Export" "album 7" photos
                        no deadline no end

                        """
                )
                try host.release()
                #expect(await host.completion(of: exported) == .success)
                let said = host.messages.filter(\.isReport)
                #expect(said.first == .title(exported, "Exporting", subtitle: "1 of 4 photos"))
                #expect(said.contains(.title(exported, "Exporting", subtitle: "4 of 4 photos")))
                #expect(said.contains { $0.progress == TaskProgress(done: 4, total: 4) })
                // The last report precedes the completion.
                let order = host.messages.filter { $0.isReport || $0.isCompletion }
                #expect(order.last?.isCompletion == true && order.filter(\.isCompletion).count == 1)
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }

        @Test(.proves(78)) func `a user's stop reaches the expiration handler of a continued task, with the reason`()
            async throws
        {
            try await PlayedHost.with("Progresses", progresses()) { host in
                await host.logged("progresses has begun")
                try host.send(.expire([exported], .stoppedByUser))
                #expect(await host.completion(of: exported) == .failure)
                #expect(host.text("stopped.txt") == "5\n")
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }

        @Test(.proves(77))
        func `an expiration for lack of progress reaches a continued task's expiration handler, with the reason`()
            async throws
        {
            let task = PlayedPlan.task("com.example.standsstill.export.1", .continued, continued: Self.album)
            let plan = PlayedPlan(lane: .continued, permitted: ["export.*"], budget: nil, tasks: [task])
            try await PlayedHost.with("StandsStill", plan) { host in
                _ = await host.first { $0.progress == TaskProgress(done: 0, total: 10) ? true : nil }
                try host.send(.expire([exported], .noProgress))
                #expect(await host.completion(of: exported) == .failure)
                #expect(host.text("stopped.txt") == "6\n")
            }
        }

        @Test(.proves(77, 79))
        func `invalid progress is refused, and a flood of reports becomes few messages whose last has the last report`()
            async throws
        {
            let task = PlayedPlan.task("com.example.liesaboutprogress.export.1", .continued, continued: Self.album)
            let plan = PlayedPlan(lane: .continued, permitted: ["export.*"], budget: nil, tasks: [task])
            try await PlayedHost.with("LiesAboutProgress", plan) { host in
                await host.logged("liesaboutprogress begins to flood")
                let begin = PlayedHost.now()
                #expect(await host.completion(of: exported) == .success)
                let quarters = Int((PlayedHost.now() - begin) / .milliseconds(250)) + 1
                let reports = host.messages.filter(\.isReport)
                // Per kind of report: four per second, one more at the end, and the reports before the flood.
                #expect(reports.count <= 2 * (quarters + 2) + 2, "\(reports.count) in \(quarters) quarters of a second")
                #expect(reports.last(where: { $0.progress == nil }) == .title(exported, "done", subtitle: nil))
                #expect(reports.compactMap(\.progress).last == TaskProgress(done: 1_000, total: 1_000))
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
                #expect(
                    host.text("statuses.txt").split(separator: "\n") == [
                        "nonsense BGT_INVALID", "nonsense BGT_INVALID", "nonsense BGT_INVALID", "nonsense BGT_INVALID",
                        "nonsense BGT_INVALID", "no title BGT_INVALID", "empty title BGT_INVALID",
                        "long title BGT_INVALID", "long subtitle BGT_INVALID", "no text BGT_INVALID",
                        "no task BGT_NO_SUCH_TASK", "another's task BGT_NO_SUCH_TASK", "far BGT_OK", "back BGT_OK",
                        "flood 0 refused", "completed BGT_ALREADY_COMPLETED",
                    ]
                )
            }
        }

        @Test(.proves(77, 79)) func `progress and title of a task that is not continued are refused`() async throws {
            let task = PlayedPlan.task("com.example.liesaboutprogress.task")
            try await PlayedHost.with(
                "LiesAboutProgress",
                PlayedPlan(permitted: ["task", "export.*"], tasks: [task])
            ) { host in
                #expect(await host.completion(of: exported) == .success)
                #expect(host.text("statuses.txt") == "task BGT_WRONG_KIND\ntask BGT_WRONG_KIND\n")
                #expect(host.messages.contains(where: \.isReport) == false)
            }
        }

        // MARK: From its own handler (C8)

        private func submitsContinued(_ settings: [String: String] = [:], budget: Duration) -> PlayedPlan {
            PlayedPlan(
                permitted: ["task", "export.*"],
                settings: settings,
                budget: budget,
                tasks: [PlayedPlan.task("com.example.submitscontinued.task")]
            )
        }

        @Test(.proves("C8", 63))
        func `a continued request that a handler submits runs in the handler's process, with payload and titles`()
            async throws
        {
            try await PlayedHost.with("SubmitsContinued", submitsContinued(budget: .seconds(600))) { host in
                let later = try await host.deliverSubmission(of: "com.example.submitscontinued.export.1", as: 1)
                #expect(await host.completion(of: exported) == .success)
                await host.logged("the continued task has begun")
                #expect(
                    host.text("info.txt")
                        == "com.example.submitscontinued.export.1 \"Exporting\" \"from a handler\" album 7\n"
                )
                try host.release()
                #expect(await host.completion(of: later) == .success)
                #expect(host.text("outlived.txt") == "nothing\n" && host.text("statuses.txt") == "BGT_OK 0\n")
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }

        @Test(.proves("C8"))
        func `a launch's deadline expires the task that submitted a continued task, but not the continued task`()
            async throws
        {
            let plan = submitsContinued(["lingers": "yes"], budget: .milliseconds(500))
            try await PlayedHost.with("SubmitsContinued", plan) { host in
                let later = try await host.deliverSubmission(of: "com.example.submitscontinued.export.1", as: 1)
                #expect(await host.completion(of: exported) == .failure)
                #expect(host.text("expired.txt") == "1\n")
                let announced = await host.first { if case .expiring(let tasks, .budget) = $0 { tasks } else { nil } }
                #expect(announced == [exported])
                // The continued task keeps reporting.
                let count = host.messages.filter(\.isReport).count
                while host.messages.filter(\.isReport).count < count + 2 { await Task.yield() }
                try host.release()
                #expect(await host.completion(of: later) == .success)
                #expect(host.text("outlived.txt") == "the budget\n" && host.text("stopped.txt").isEmpty)
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }

        @Test(.proves(14, 15, 18))
        func `a late registration is accepted for continued tasks alone, and sent before the submission`()
            async throws
        {
            let plan = PlayedPlan(
                permitted: ["task", "late", "export.*"],
                tasks: [PlayedPlan.task("com.example.registerscomposed.task")]
            )
            try await PlayedHost.with("RegistersComposed", plan) { host in
                let prefix = "com.example.registerscomposed.export."
                let first = try await host.deliverSubmission(of: prefix + "1", as: 1)
                let second = try await host.deliverSubmission(of: prefix + "2", as: 2)
                let named = "com.example.registerscomposed.late"
                let third = try await host.deliverSubmission(of: named, as: 3)
                for task in [exported, first, second, third] { #expect(await host.completion(of: task) == .success) }
                #expect(
                    host.text("statuses.txt").split(separator: "\n") == [
                        "submit 1 BGT_UNREGISTERED", "register 1 BGT_OK", "register 1 BGT_DUPLICATE", "submit 1 BGT_OK",
                        "submit 2 BGT_UNREGISTERED", "register * BGT_OK", "submit 2 BGT_OK",
                        "register late BGT_OK", "submit late as refresh BGT_UNREGISTERED", "submit late BGT_OK",
                        "register elsewhere BGT_WRONG_PHASE",
                    ]
                )
                let taken = host.text("taken.txt").split(separator: "\n").sorted()
                #expect(taken == ["late \(named)", "name \(prefix)1", "pattern \(prefix)2"])
                // Each registration reaches the host before the submission that needs it.
                let story = host.messages.compactMap { message -> String? in
                    switch message {
                    case .registered(let name): "registered \(name)"
                    case .submit(_, let request, _): "submitted \(request.identifier)"
                    default: nil
                    }
                }
                #expect(
                    story == [
                        "registered \(prefix)1", "submitted \(prefix)1", "registered \(prefix)*",
                        "submitted \(prefix)2", "registered \(named)", "submitted \(named)",
                    ]
                )
                let rules = host.messages.compactMap { if case .violation(let kind, _) = $0 { kind.rule } else { nil } }
                #expect(rules == Array(repeating: ABIRule.registration, count: 5))
            }
        }

        @Test func `after three hundred consecutive deliveries a runner has at most eight threads`() async throws {
            let plan = submitsContinued(["lingers": "yes"], budget: .seconds(600))
            try await PlayedHost.with("SubmitsContinued", plan) { host in
                try host.release()
                let first = try await host.deliverSubmission(of: "com.example.submitscontinued.export.1", as: 1)
                #expect(await host.completion(of: first) == .success)
                for index in 2...300 {
                    let task = PlayedPlan.task(
                        "com.example.submitscontinued.export.\(index)",
                        .continued,
                        index: index,
                        continued: Self.album
                    )
                    try host.send(.deliver(task))
                    #expect(await host.completion(of: task.id) == .success)
                }
                let process = await host.events.ready(PlayedHost.launch)
                // Main thread, control, spare and reserve, the batch's own queue, and a thread that may be ending.
                let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/task")
                #expect(threads.count <= 8, "\(threads.count) threads")
            }
        }

        // MARK: Assertions

        @Test(.proves(81, 82))
        func `without a deadline an open assertion expires at the host's request, with the host's reason`()
            async throws
        {
            let task = PlayedPlan.task("com.example.holdsopen.task", .continued, continued: Self.album)
            let plan = PlayedPlan(lane: .continued, permitted: ["task"], budget: nil, tasks: [task])
            try await PlayedHost.with("HoldsOpen", plan) { host in
                let assertion = await host.first { if case .assertionBegan(let id, "flush") = $0 { id } else { nil } }
                #expect(await host.completion(of: exported) == .success)
                try host.send(.expireAssertions(.noProgress))
                let call = await host.first { if case .cancelAll(let call) = $0 { call } else { nil } }
                try host.send(.cancelled(call, isRecorded: true))
                _ = await host.first { $0 == .assertionEnded(assertion) ? true : nil }
                #expect(host.text("expired.txt") == "flush 6 BGT_OK BGT_ENDED\n")
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }
    }

    @Suite("A real runner transfers fetch intervals and protection types")
    struct FetchRunnerTests {
        private func plan(
            _ settings: [String: String],
            permitted: [String] = [],
            modes: Set<BackgroundMode> = [.fetch]
        ) -> PlayedPlan {
            PlayedPlan(lane: .event, permitted: permitted, modes: modes, settings: settings)
        }

        private func fetches(_ plan: PlayedPlan, _ body: (PlayedHost) async throws -> Void) async throws {
            try await PlayedHost.with("Fetches", plan) { host in
                _ = await host.first { if case .entered(0, _, true, _) = $0 { true } else { nil } }
                try await body(host)
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }

        @Test(
            .proves(84),
            arguments: [("60", Duration.seconds(60)), ("0", .zero), ("never", nil)] as [(String, Duration?)]
        )
        func `the fetch interval that a plugin sets reaches the host`(text: String, interval: Duration?) async throws {
            try await fetches(plan(["interval": text])) { host in
                #expect(host.text("statuses.txt") == "BGT_OK\n")
                #expect(host.messages.contains(.fetchInterval(interval)))
            }
        }

        @Test(.proves(84)) func `a very long fetch interval is not taken for never`() async throws {
            try await fetches(plan(["interval": "18446744073709551614"])) { host in
                let interval = await host.first { if case .fetchInterval(let interval?) = $0 { interval } else { nil } }
                #expect(interval > .seconds(Int64(200) * 365 * 86_400))
            }
        }

        @Test(.proves(6, 84))
        func `the runner refuses a fetch interval of a plugin with permitted identifiers or without the mode fetch`()
            async throws
        {
            for plan in [plan(["interval": "60"], permitted: ["task"]), plan(["interval": "60"], modes: [.processing])]
            {
                try await fetches(plan) { host in
                    #expect(host.text("statuses.txt") == "BGT_NOT_PERMITTED\n")
                    #expect(!host.messages.contains { if case .fetchInterval = $0 { true } else { false } })
                }
            }
        }

        @Test(.proves(84)) func `an extension may not set a fetch interval`() async throws {
            var plan = plan(["interval": "60"])
            plan.role = .extension
            try await fetches(plan) { host in
                #expect(host.text("statuses.txt") == "BGT_WRONG_ROLE\n")
                #expect(
                    host.messages.contains {
                        if case .violation(.setFetchIntervalOfMain, _) = $0 { true } else { false }
                    }
                )
            }
        }

        @Test(.proves(84))
        func `of a hundred thousand fetch intervals the last one reaches the host, in fewer than 100 messages`()
            async throws
        {
            try await PlayedHost.with("Fetches", plan(["flood": "yes", "interval": "77"])) { host in
                _ = await host.first { if case .entered(0, _, true, _) = $0 { true } else { nil } }
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
                let reported = host.messages.compactMap {
                    if case .fetchInterval(let interval) = $0 { interval } else { nil }
                }
                #expect(reported.first == .seconds(1) && reported.last == .seconds(77))
                #expect(reported.count < 100, "\(reported.count) messages")
            }
        }

        @Test(.proves(84)) func `a fetch event carries the identifier of the plugin`() async throws {
            var plan = plan(["interval": "60"])
            plan.tasks = [PlayedPlan.task("fetch", .event)]
            try await PlayedHost.with("Fetches", plan) { host in
                #expect(await host.completion(of: TaskID(launch: PlayedHost.launch, index: 0)) == .noData)
                #expect(host.text("fetched.txt") == "com.example.fetches\n")
            }
        }

        @Test(.proves(70), arguments: ProtectionType.allCases)
        func `the flags of a health research task include its protection type`(protection: ProtectionType) async throws
        {
            let task = PlayedPlan.task("com.example.studies.study", .healthResearch, protection: protection)
            try await PlayedHost.with("Studies", PlayedPlan(permitted: ["study"], tasks: [task])) { host in
                await host.logged("the study has begun")
                let flags = String(2 | protection.rawValue << 8, radix: 16)
                #expect(host.text("info.txt") == "3 0x\(flags)\n")
                try host.send(.expire([task.id], .containerLocked))
                #expect(await host.completion(of: task.id) == .failure)
                #expect(host.text("stopped.txt") == "9\n")
            }
        }
    }
}

extension RunnerMessage {
    fileprivate var progress: TaskProgress? { if case .progress(_, let progress) = self { progress } else { nil } }

    fileprivate var isReport: Bool {
        switch self {
        case .progress, .title: true
        default: false
        }
    }

    fileprivate var isCompletion: Bool { if case .completed = self { true } else { false } }
}
