// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import StatementTraits
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A real runner passes on transfers, moves their files, and runs the transfer library")
    struct TransferRunnerTests {
        private func event(_ type: EventType, payload: [UInt8] = []) -> RunnerPlan.Task {
            RunnerPlan.Task(
                id: TaskID(launch: PlayedHost.launch, index: 0),
                kind: .event,
                event: type,
                identifier: "com.example.beginstransfers",
                submission: SubmissionNumber(rawValue: 40),
                attempts: 0,
                payload: payload
            )
        }

        private func session() throws -> TransferSession { try #require(TransferSession("files")) }

        private func begun(
            _ host: PlayedHost,
            _ path: String
        ) async -> (CallNumber, TransferDescription) {
            await host.first { message in
                guard case .beginTransfer(let call, let transfer, nil, nil) = message, transfer.label == path
                else { return nil }
                return (call, transfer)
            }
        }

        private func list(_ host: PlayedHost) async -> (CallNumber, TransferSession?) {
            await host.first { if case .transfers(let call, let session) = $0 { (call, session) } else { nil } }
        }

        @Test func `a plugin gets the numbers of its transfers, and the text of a refusal`() async throws {
            let settings = ["server": "https://example.com", "paths": "one two"]
            let plan = PlayedPlan(settings: settings, tasks: [event(.started)])
            try await PlayedHost.with("BeginsTransfers", plan) { host in
                let (first, transfer) = await begun(host, "one")
                let expected = TransferDescription(
                    direction: .download,
                    session: try session(),
                    label: "one",
                    url: "https://example.com/one"
                )
                #expect(transfer == expected)
                try host.send(.transferBegun(first, SubmissionNumber(rawValue: 41)))
                let (second, _) = await begun(host, "two")
                let refusal = SubmissionRefusal(code: .notPermitted, subReason: .networkNotGranted, message: "no grant")
                try host.send(.refused(second, refusal))
                #expect(await host.completion(of: TaskID(launch: PlayedHost.launch, index: 0)) == .success)
                #expect(host.text("statuses.txt") == "begin BGT_OK\nbegin BGT_NOT_PERMITTED\n")
                #expect(host.text("refusals.txt") == "32 no grant\n")
            }
        }

        @Test func `a taken file has its new name before the host receives the report, and cannot be taken twice`()
            async throws
        {
            let plan = PlayedPlan(tasks: [event(.transfersFinished, payload: Array("files".utf8))])
            try await PlayedHost.with("BeginsTransfers", plan) { host in
                let (call, session) = await list(host)
                #expect(session?.text == "files")
                let staging = URL(filePath: host.directory).appending(path: ".transfers")
                try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
                try Data("photo".utf8).write(to: staging.appending(path: "41-x"))
                let transfers = [
                    ListedTransfer(
                        number: SubmissionNumber(rawValue: 41),
                        direction: .download,
                        session: try self.session(),
                        label: "one",
                        url: "https://example.com/one",
                        state: .finished,
                        httpStatus: 200,
                        bytes: 5,
                        file: ".transfers/41-x"
                    ),
                    ListedTransfer(
                        number: SubmissionNumber(rawValue: 42),
                        direction: .download,
                        session: try self.session(),
                        label: "two",
                        url: "https://example.com/two",
                        state: .failed,
                        fault: .digestMismatch
                    ),
                ]
                try host.send(.transfers(call, transfers))
                let taken = await host.first { if case .transferTaken(let number) = $0 { number } else { nil } }
                #expect(taken.rawValue == 41 && host.text("taken-0") == "photo")
                // The second call looks the file up.
                let again = await host.first { message -> CallNumber? in
                    if case .transfers(let next, nil) = message, next != call { next } else { nil }
                }
                try host.send(.transfers(again, []))
                #expect(await host.completion(of: TaskID(launch: PlayedHost.launch, index: 0)) == .success)
                #expect(host.text("statuses.txt") == "list BGT_OK\ntake BGT_OK\ntake again BGT_NOT_FOUND\n")
                #expect(host.text("states.txt") == "one 4 - 200 5\ntwo 5 digest-mismatch 0 0\n")
            }
        }

        @Test func `each task of a transfer launch goes to the one handler, and its end precedes its completion`()
            async throws
        {
            let tasks = (0..<2).map { index in
                PlayedPlan.task(
                    "com.example.photos:transfer:\(40 + index)",
                    .transfer,
                    index: index,
                    payload: Array("url: \(index)".utf8)
                )
            }
            let plan = PlayedPlan(lane: .transfer, budget: nil, tasks: tasks)
            try await PlayedHost.with("EndsTransfers", plan) { host in
                for task in tasks { #expect(await host.completion(of: task.id) == .success) }
                let entered = await host.first { if case .entered(_, let names, _, _) = $0 { names } else { nil } }
                #expect(entered.map(\.description) == ["bgtask.transfer"])
                for task in tasks {
                    let order = host.messages.filter { message in
                        switch message {
                        case .transferEnded(task.id, _), .completed(task.id, _, _): true
                        default: false
                        }
                    }
                    let end = TransferEnd(result: .finished, httpStatus: 200, bytes: 5, message: "done")
                    #expect(order == [.transferEnded(task.id, end), .completed(task.id, .success)])
                }
                #expect(host.messages.contains { $0.isProgress(of: tasks[0].id) })
                let lines = Set(host.text("tasks.txt").split(separator: "\n"))
                #expect(
                    lines == [
                        "com.example.photos:transfer:40 7 url: 0", "com.example.photos:transfer:41 7 url: 1",
                    ]
                )
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
                #expect(
                    Set(host.text("statuses.txt").split(separator: "\n")) == [
                        "set_progress BGT_OK", "checkpoint BGT_OK", "ended with NULL BGT_INVALID",
                        "ended with a fault BGT_INVALID", "ended of another task BGT_NO_SUCH_TASK", "ended BGT_OK",
                        "ended after the completion BGT_ALREADY_COMPLETED",
                    ]
                )
            }
        }

        @Test func `a launch of a plugin offers no private table, and permits no handler of transfers`() async throws {
            let plan = PlayedPlan(permitted: ["task"], tasks: [PlayedPlan.task("com.example.endstransfers.task")])
            try await PlayedHost.with("EndsTransfers", plan) { host in
                let entered = await host.first { if case .entered(_, let names, _, _) = $0 { names } else { nil } }
                #expect(entered.isEmpty && host.text("statuses.txt") == "register BGT_NOT_PERMITTED\n")
            }
        }
    }
}

extension RunnerMessage {
    fileprivate func isProgress(of task: TaskID) -> Bool {
        if case .progress(task, _) = self { true } else { false }
    }
}
