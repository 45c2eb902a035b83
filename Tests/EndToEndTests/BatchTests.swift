// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A batch submits many requests in one call, each accepted or refused on its own")
struct BatchTests {
    private static let recorder = TestPlugin("Recorder", tasks: ["refresh", "processing1", "processing2"])
    private static let tomorrow = Timestamp(HostFixture.tomorrow).description

    private static func line(_ task: String, _ kind: String = "processing") -> String {
        #"{"identifier": "\#(task)", "kind": "\#(kind)", "earliest_begin": "\#(tomorrow)"}"#
    }

    /// The results as text: for an accepted request its identifier, and the number of the replaced request or `new`;
    /// for a refused one the sub-reason, and the field or `-`.
    private static func texts(_ results: [TaskBatchResult]) -> [String] {
        results.map { result in
            switch result {
            case .submitted(let reply): "\(reply.identifier) \(reply.replaced.map(String.init) ?? "new")"
            case .refused(let reply): "\(reply.error.subReason) \(reply.error.field ?? "-")"
            }
        }
    }

    @Test func `the results of a batch have the order of its requests; a later request replaces an earlier one`()
        async throws
    {
        try await HostFixture.with(HostSetup(["processing-limit": "1"]), plugins: [Self.recorder]) { host in
            let (first, second) = (Self.recorder.task("processing1"), Self.recorder.task("processing2"))
            let results = try await host.submit([
                Self.line(first), Self.line(second), Self.line(first, "procesing"), Self.line(first),
                Self.line("com.example.nobody.task"), "7", Self.line(Self.recorder.task("refresh"), "refresh"),
            ])
            guard case .submitted(let old)? = results.first, case .submitted(let new) = results[3] else {
                Issue.record("\(results)")
                return
            }
            #expect(
                Self.texts(results) == [
                    "\(first) new", "processing-limit requests[1]", "kind-unknown requests[2].kind",
                    "\(first) \(old.submission)", "identifier-not-permitted requests[4]", "field-type requests[5]",
                    "\(Self.recorder.task("refresh")) new",
                ]
            )
            let pending = try await host.client.tasks().pending
            #expect(pending.map(\.identifier).sorted() == [first, Self.recorder.task("refresh")].sorted())
            #expect(pending.contains { $0.submission == new.submission })
            let submitted = try await host.wholeJournal().filter { $0.event == "submitted" || $0.event == "replaced" }
            #expect(submitted.allSatisfy { $0.user != nil } && !submitted.isEmpty)
        }
    }

    @Test func `every accepted request of a batch is pending after the host was killed`() async throws {
        try await HostFixture.with(plugins: [Self.recorder]) { host in
            let tasks = ["processing1", "processing2"].map(Self.recorder.task)
            let results = try await host.submit(tasks.map { Self.line($0) })
            host.kill9()
            try await host.restart()
            let numbers = results.compactMap { if case .submitted(let reply) = $0 { reply.submission } else { nil } }
            #expect(numbers.count == 2)
            #expect(try await host.client.tasks().pending.map(\.submission).sorted() == numbers.sorted())
        }
    }

    // The idle timeout is longer than any test: no held call is closed because time passes.
    @Test func `a user's fifth batch gets 503 and a time to retry, until one of the first four is answered`()
        async throws
    {
        try await HostFixture.with(HostSetup(["idle-timeout": "1d"]), plugins: [Self.recorder]) { host in
            let path = Route.taskSubmitBatch.path()
            let body = #"{"requests": [\#(Self.line(Self.recorder.task("processing1")))]}"#
            let fields = ["host: x", "connection: close", "content-length: \(body.utf8.count)"]
            let head = "POST \(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n"
            var held = try (1...5).map { _ in try RawCaller(of: host, saying: head) }
            // Four of the five calls wait for their bodies. The host reads the heads in its own time.
            let refused = held.remove(at: try #require(RawCaller.firstAnswered(among: held)))
            let answer = try RawAnswer(refused.answer())
            #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
            let error = try answer.json()["error"]
            #expect(error["code"] == "busy" && error["sub_reason"] == "too-many-batches")
            #expect(try host.rawCall("GET", "/v1/host").status == 200)

            try held[0].say(Array(body.utf8))
            #expect(held[0].answer().hasPrefix("HTTP/1.1 200"))
            // The place becomes free after the answer.
            var next = try host.rawCall("POST", path, body: body)
            while next.status == 503 { next = try host.rawCall("POST", path, body: body) }
            #expect(next.status == 200)
            for caller in held.dropFirst() {
                try caller.say(Array(body.utf8))
                #expect(caller.answer().hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test func `a batch of 1,000 requests is answered; larger ones are refused as a whole, by number and by size`()
        async throws
    {
        try await HostFixture.with(plugins: [Self.recorder]) { host in
            let line = Self.line(Self.recorder.task("processing1"))
            let results = try await host.submit(Array(repeating: line, count: 1_000))
            let accepted = results.count { if case .submitted = $0 { true } else { false } }
            #expect(results.count == 1_000 && accepted == 1_000)
            #expect(try await host.client.tasks().pending.count == 1)

            let path = Route.taskSubmitBatch.path()
            func refusal(_ lines: [String], padding: Int = 0) throws -> JSONValue {
                let body = #"{"requests": [\#(lines.joined(separator: ","))]}"#
                let answer = try host.rawCall("POST", path, body: body + String(repeating: " ", count: padding))
                #expect(answer.status == 400)
                return try answer.json()["error"]
            }
            #expect(try refusal(Array(repeating: line, count: 1_001))["sub_reason"] == "request-count")
            #expect(try refusal([])["sub_reason"] == "request-count")
            #expect(try refusal([line], padding: 2 << 20)["sub_reason"] == "body-too-large")
            #expect(try await host.client.tasks().pending.count == 1)
        }
    }

    @Test(.enabled(if: MountedDisk.isPossible))
    func `on a full disk a batch refuses each valid request with not-recorded, and the pending request stays`()
        async throws
    {
        try await MountedDisk.with(size: "3m") { disk in
            let setup = HostSetup(["state-directory": disk.path, "host-retry-delay": "20ms"])
            try await HostFixture.with(setup, plugins: [.neighbour, Self.recorder]) { host in
                let task = Self.recorder.task("processing1")
                let accepted = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
                try disk.fill()
                // The space left in the last page of the log is used up first.
                var last: [TaskBatchResult] = []
                var pending = accepted
                repeat {
                    last = try await host.submit(Array(repeating: Self.line(task), count: 3) + ["{}"])
                    for case .submitted(let reply) in last { pending = reply.submission }
                } while last.contains { if case .submitted = $0 { true } else { false } }
                #expect(
                    Self.texts(last) == (0..<3).map { "not-recorded requests[\($0)]" }
                        + ["field-missing requests[3].identifier"]
                )
                #expect(try await host.client.tasks().pending.map(\.submission) == [pending])
                try disk.makeRoom()
                let later = try await host.submit([Self.line(task)])
                #expect(Self.texts(later) == ["\(task) \(pending)"])
                try await host.runNeighbour()
            }
        }
    }

    @Test func `bgtask task submit --from prints a line for each request, and exits with 1 after a refusal`()
        async throws
    {
        try await HostFixture.with(plugins: [Self.recorder]) { host in
            let (first, second) = (Self.recorder.task("processing1"), Self.recorder.task("processing2"))
            let good = [Self.line(first), "", Self.line(second)].joined(separator: "\n")
            try host.directory.write(good.utf8, to: "good.jsonl")
            let done = try await host.bgtask("task", "submit", "--from", host.directory.file("good.jsonl"))
            #expect(done.status == 0 && done.error.isEmpty, "\(done)")
            let lines = done.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].contains(" of \(first) ") && lines[1].contains(" of \(second) "))

            let mixed = [Self.line(first, "procesing"), Self.line(second)].joined(separator: "\n")
            try host.directory.write(mixed.utf8, to: "mixed.jsonl")
            let path = host.directory.file("mixed.jsonl")
            let refused = try await host.bgtask("task", "submit", "--from", path)
            #expect(refused.status == 1 && refused.error.contains("requests refused: 1 of 2"), "\(refused)")
            #expect(refused.output.contains("line 1 is refused: malformed (kind-unknown)"), "\(refused)")
            #expect(refused.output.contains("remedy: write \"processing\"") && refused.output.contains("replacing"))
            let json = try await host.bgtask("task", "submit", "--json", "--from", path)
            let results = try json.output.split(separator: "\n").map {
                try WireCoding.decode(TaskBatchResult.self, from: Data($0.utf8))
            }
            #expect(json.status == 1 && results.count == 2)
        }
    }
}

extension HostFixture {
    /// Submits a batch of requests, each as JSON.
    fileprivate func submit(_ lines: [String]) async throws -> [TaskBatchResult] {
        var batch = TaskBatchText()
        for line in lines where !batch.add(Data(line.utf8)) { throw HostFailure("the batch is full") }
        return try await client.submit(batch).results
    }
}
