// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Glibc
import Synchronization
import TaskModel
import Testing

@Suite("The client returns the host's answer or the cause of its absence")
struct ControlClientTests {
    private func text(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    @Test func `the control client decodes an answer`() async throws {
        let answer = try text(Samples.host())
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let reply = try await host.connected { try await $0.host() }
            #expect(reply == Samples.host())
            #expect(host.requests == [.init(method: "GET", path: "/v1/host", host: "localhost")])
        }
    }

    @Test func `eleven calls of the control client send method, path and query of their routes`() async throws {
        let (task, plugin) = (try Samples.task(), try Samples.plugin())
        let submission = TaskSubmission(TaskRequest(identifier: task, kind: .refresh))
        try await StubHost.with({ _ in .body(status: 200, "{}") }) { host in
            try await host.connected { client in
                // The answers have the wrong shape on purpose: only the requests matter here.
                _ = try? await client.plugins()
                _ = try? await client.plugin(plugin)
                _ = try? await client.submit(submission)
                _ = try? await client.cancel(task)
                _ = try? await client.tasks()
                _ = try? await client.why(task)
                _ = try? await client.launches(limit: 3, plugin: plugin)
                _ = try? await client.launch(LaunchNumber(rawValue: 41))
                _ = try? await client.journal(after: 4, limit: 2)
                _ = try? await client.run([task])
                _ = try? await client.simulateExpiration(of: task)
            }
            #expect(
                host.requests.map { "\($0.method) \($0.path)" } == [
                    "GET /v1/plugins?limit=1000", "GET /v1/plugins/com.example.feed", "POST /v1/tasks",
                    "DELETE /v1/tasks/com.example.feed.refresh", "GET /v1/tasks?limit=1000",
                    "GET /v1/tasks/com.example.feed.refresh/why", "GET /v1/launches?limit=3&plugin=com.example.feed",
                    "GET /v1/launches/41", "GET /v1/journal?after=4&limit=2", "POST /v1/run",
                    "POST /v1/simulate/expiration",
                ]
            )
            #expect(host.requests[2].body == (try text(submission)))
            #expect(host.requests[9].body == #"{"identifiers":["com.example.feed.refresh"]}"#)
        }
    }

    /// The behaviour of a stub host that answers each call with the next text, and further calls with the last text.
    private static func answers(_ texts: [String]) -> StubHost.Behaviour {
        let calls = Mutex(0)
        return { _ in
            let index = calls.withLock { count in
                defer { count += 1 }
                return count
            }
            return .body(status: 200, texts[min(index, texts.count - 1)])
        }
    }

    @Test func `a task list is fetched page by page, and work that is on several pages is listed once`() async throws {
        let (sample, plugin) = (try Samples.taskList(), try Samples.plugin())
        let cursor = WorkCursor(plugin: plugin, number: SubmissionNumber(rawValue: 12))
        let pages = [
            TaskListReply(pending: sample.pending, running: sample.running, events: [], next: cursor),
            TaskListReply(
                pending: [],
                running: sample.running,
                events: [],
                next: .end(of: plugin),
                isPartial: true
            ),
            TaskListReply(pending: sample.pending, running: [], events: sample.events),
        ]
        try await StubHost.with(Self.answers(try pages.map(text))) { host in
            let list = try await host.connected {
                try await $0.tasks(plugin: plugin, kinds: [.refresh])
            }
            #expect(
                list
                    == TaskListReply(
                        pending: sample.pending,
                        running: sample.running,
                        events: sample.events,
                        isPartial: true
                    )
            )
            let query = "/v1/tasks?limit=1000&plugin=com.example.feed&kind=refresh"
            #expect(host.requests.count == 3 && host.requests[0].path == query)
            #expect(host.requests[1].path.contains("after=com.example.feed%2F12&"))
        }
    }

    @Test func `pages of plugins and of refused manifests are joined into one list`() async throws {
        let sample = try Samples.pluginList()
        let pages = [
            PluginListReply(plugins: sample.plugins, refused: [], next: .endOfPlugins),
            PluginListReply(plugins: [], refused: sample.refused),
        ]
        try await StubHost.with(Self.answers(try pages.map(text))) { host in
            let list = try await host.connected { try await $0.plugins() }
            #expect(list == sample && host.requests.map(\.path).last == "/v1/plugins?limit=1000&after=%2F")
        }
    }

    @Test func `pages of schedules are joined, and a schedule on two pages is listed once`() async throws {
        let sample = try Samples.scheduleList()
        let cursor = ScheduleCursor(next: nil, plugin: try Samples.plugin(), identifier: try Samples.task())
        let pages = [
            ScheduleListReply(schedules: Array(sample.schedules.prefix(1)), next: cursor),
            ScheduleListReply(schedules: sample.schedules, isPartial: true),
        ]
        try await StubHost.with(Self.answers(try pages.map(text))) { host in
            let list = try await host.connected { try await $0.schedules() }
            #expect(list == ScheduleListReply(schedules: sample.schedules, isPartial: true))
            #expect(host.requests.map(\.path).first == "/v1/schedules?limit=1000")
        }
    }

    @Test func `a page whose next cursor equals the requested cursor is reported as a misunderstood reply`()
        async throws
    {
        let cursor = WorkCursor(plugin: try Samples.plugin(), number: SubmissionNumber(rawValue: 12))
        let page = TaskListReply(pending: [], running: [], events: [], next: cursor)
        try await StubHost.with(Self.answers([try text(page)])) { host in
            let error = await #expect(throws: ControlError.self) {
                try await host.connected { try await $0.tasks() }
            }
            guard case .misunderstood = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(host.requests.count == 2)
        }
    }

    @Test func `launches and journal entries beyond one page are fetched from the newest on`() async throws {
        let launch = try Samples.launch(end: Samples.launchEnd)
        let launches = [
            LaunchListReply(
                launches: Array(repeating: launch, count: 1_000),
                next: LaunchNumber(rawValue: 41)
            ), LaunchListReply(launches: [launch, launch]),
        ]
        try await StubHost.with(Self.answers(try launches.map(text))) { host in
            let list = try await host.connected { try await $0.launches(limit: 1_500) }
            #expect(list.launches.count == 1_002 && list.next == nil)
            #expect(host.requests.map(\.path) == ["/v1/launches?limit=1000", "/v1/launches?limit=500&after=41"])
        }
        let line = try Samples.journalLine()
        let entries = [
            JournalReply(entries: Array(repeating: line, count: 1_000), last: 5),
            JournalReply(entries: [line, line], last: 5),
        ]
        try await StubHost.with(Self.answers(try entries.map(text))) { host in
            let list = try await host.connected { try await $0.journal(limit: 1_500) }
            #expect(list.entries.count == 1_002 && list.last == 5)
            #expect(host.requests.map(\.path) == ["/v1/journal?limit=1000", "/v1/journal?before=5&limit=500"])
        }
    }

    @Test func `a refusal reaches the control client with its status, code and message`() async throws {
        let refusal = RouteError.noSuchTask("a.b")
        let answer = try text(refusal.reply)
        try await StubHost.with({ _ in .body(status: refusal.status, answer) }) { host in
            await #expect(throws: ControlError.refused(status: 404, refusal.reply)) {
                try await host.connected { try await $0.host() }
            }
        }
    }

    @Test(arguments: [(200, "hello"), (200, "{}"), (500, "<html>"), (302, "{}")])
    func `an answer that is not a valid API reply is reported as a misunderstood reply`(status: Int, body: String)
        async throws
    {
        try await StubHost.with({ _ in .body(status: status, body) }) { host in
            let error = await #expect(throws: ControlError.self) {
                try await host.connected { try await $0.host() }
            }
            guard case .misunderstood(host.socket, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test
    func `a host that closes the connection without an answer is reported as unreachable, with the cause hung-up`()
        async throws
    {
        try await StubHost.with({ _ in .hangUp }) { host in
            let error = await #expect(throws: ControlError.self) {
                try await host.connected { try await $0.host() }
            }
            #expect(error == .unreachable(socket: host.socket, cause: .hungUp))
        }
    }

    @Test func `a missing socket is reported as unreachable, with its path`() async throws {
        let error = await #expect(throws: ControlError.self) {
            try await ControlClient.withConnection(to: "/nowhere/a b%/ü.sock") { try await $0.host() }
        }
        #expect(error == .unreachable(socket: "/nowhere/a b%/ü.sock", cause: .noSocket))
    }

    @Test func `a socket without a listener is reported as unreachable, with the cause no-listener`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try abandonSocket(at: directory.path + "/socket")
        let error = await #expect(throws: ControlError.self) {
            try await ControlClient.withConnection(to: directory.path + "/socket") { try await $0.host() }
        }
        #expect(error == .unreachable(socket: directory.path + "/socket", cause: .noListener))
    }

    @Test(arguments: [StubHost.Answer.silence, .stream([], .never), .stream(["{"], .never)])
    func `a host that accepts a call without completing its answer is reported as not answering`(
        answer: StubHost.Answer
    ) async throws {
        try await StubHost.with({ _ in answer }) { host in
            let error = await #expect(throws: ControlError.self) {
                try await ControlClient.withConnection(to: host.socket, answerTimeout: .milliseconds(20)) {
                    try await $0.host()
                }
            }
            #expect(error == .unreachable(socket: host.socket, cause: .noAnswer))
        }
    }

    @Test func `a socket path that is too long is refused with the limit of 107 bytes`() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 120)
        let error = await #expect(throws: ControlError.self) {
            try await ControlClient.withConnection(to: path) { try await $0.host() }
        }
        #expect(error?.description.contains("107 bytes") == true)
    }

    /// Creates a socket file without a listener, as a killed host leaves it.
    private func abandonSocket(at path: String) throws {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }
}

@Suite("The client can follow the journal")
struct JournalFeedTests {
    private func line(_ number: Int64) throws -> String {
        String(decoding: try WireCoding.encode(try Samples.journalLine(number)), as: UTF8.self) + "\n"
    }

    private func follow(_ socket: String, upTo count: Int = .max) async throws -> [Int64] {
        try await ControlClient.withConnection(to: socket) { client in
            var numbers: [Int64] = []
            for try await line in try await client.followJournal(after: 4) {
                numbers.append(line.number)
                if numbers.count == count { break }
            }
            return numbers
        }
    }

    @Test func `followed journal entries arrive in order when chunks end inside entries`() async throws {
        let text = try line(5) + line(6) + line(7)
        let chunks = [text.prefix(10), text.dropFirst(10).prefix(300), text.dropFirst(310)].map(String.init)
        try await StubHost.with({ _ in .stream(chunks, .inOrder) }) { host in
            let numbers = try await follow(host.socket)
            #expect(numbers == [5, 6, 7])
            #expect(host.requests.map(\.path) == ["/v1/journal?after=4&follow=true"])
        }
    }

    @Test func `a followed journal entry arrives while the stream stays open`() async throws {
        let text = try line(5)
        try await StubHost.with({ _ in .stream([text], .never) }) { host in
            let numbers = try await follow(host.socket, upTo: 1)
            #expect(numbers == [5])
        }
    }

    @Test func `a followed journal whose stream breaks off ends with an error`() async throws {
        let text = try line(5)
        try await StubHost.with({ _ in .stream([text, "{"], .brokenOff) }) { host in
            let error = await #expect(throws: ControlError.self) { try await follow(host.socket) }
            #expect(error == .streamEnded(.journal, socket: host.socket, isInOrder: false))
        }
    }

    @Test func `a line of a followed journal that is not an entry is reported as a misunderstood reply`() async throws {
        try await StubHost.with({ _ in .stream(["hello\n"], .inOrder) }) { host in
            let error = await #expect(throws: ControlError.self) { try await follow(host.socket) }
            guard case .misunderstood = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
