// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of the first pages of the lists of a host with very many plugins, of their cost for concurrent
/// decisions, and of submissions to such a host.
struct Lists {
    private static let rounds = 300
    private static let seconds: UInt32 = 10

    private let programs: Programs
    private let population: Population

    init(_ programs: Programs) {
        self.programs = programs
        population = .lists(programs)
    }

    func measure() throws {
        let host = try MeasuredHost(programs, in: try population.restored())
        defer { host.stop() }
        try host.waitUntilLoaded()
        // The evaluation of every plugin that follows a start is over by then.
        sleep(10)
        var rows = Rows()
        try measurePages(host, &rows)
        try measureStatus(host, &rows)
        try measureCommands(host, &rows)
        try measureDecisions(host, &rows)
        try Batches(population, on: host).measure(&rows)
        try rows.write("2-lists", programs)
    }

    private var size: String { "\(population.plugins) plugins with \(population.each) pending each" }

    private func measurePages(_ host: MeasuredHost, _ rows: inout Rows) throws {
        let control = try host.connect()
        for (list, before) in [("plugins", nil), ("tasks", "4,400 (all in one, 41 MB)")] {
            let times = try (0..<Self.rounds).map { _ in
                let start = monotonicNow()
                let page = try control.get("/v1/\(list)")
                guard page.contains("\"next\"") else { throw BenchmarkError("a page without a next one: \(page)") }
                return monotonicNow() - start
            }
            rows.add(
                "\(size): first page of `GET /v1/\(list)`, ms (p50 / p99 / max)",
                before: before,
                now: Distribution(times).text,
                target: "under 20"
            )
            rows.add(
                "\(size): a turn of 10 \(list) on the thread of decisions, ms of processor time (p50 / p99 / max)",
                now: try turns(of: "/v1/\(list)?limit=10", host, control).text,
                target: "under 1",
                machine: "\(try turns(of: "/v1/openapi.yaml", host, control).text) without a list"
            )
        }
    }

    private func measureStatus(_ host: MeasuredHost, _ rows: inout Rows) throws {
        rows.add(
            "\(size): `GET /v1/host` on the thread of decisions, ms of processor time (p50 / p99 / max)",
            now: try turns(of: "/v1/host", host, try host.connect()).text,
            target: "under 1"
        )
    }

    /// Processor times of the decision thread during one call. A page of 10 items takes one turn, and a decision waits
    /// for one turn at most.
    ///
    /// - Parameter path: path of the repeated call. For a list, each call gets the next page.
    private func turns(of path: String, _ host: MeasuredHost, _ control: Control) throws -> Distribution {
        var page = path
        let times = try (0..<Self.rounds).map { _ in
            let used = try host.processorTime(ofThread: "decisions")
            let answer = try control.get(page)
            // The kernel adds up the time of a thread when the thread sleeps.
            usleep(2_000)
            page = path + (JSON(answer)["next"].text.map { "&after=\($0)" } ?? "")
            return try host.processorTime(ofThread: "decisions") - used
        }
        return Distribution(times)
    }

    /// Measures whole commands, from the exec to the end of the process.
    private func measureCommands(_ host: MeasuredHost, _ rows: inout Rows) throws {
        let commands = [
            ["--version"], ["task", "list", "--plugin", population.plugin(population.plugins / 2)], ["plugin", "list"],
            ["task", "list"],
        ]
        for command in commands {
            let arguments = command == ["--version"] ? command : command + ["--socket", host.directory.socket]
            let rounds = command.count == 2 ? 3 : 30
            let times = try (0..<rounds).map { _ in
                try Programs.duration(of: programs.host + "/bgtask", arguments)
            }
            let pages = command.count == 2 ? ", every page" : ""
            rows.add(
                "\(size): the command `bgtask \(command.joined(separator: " "))`\(pages), ms (p50 / p99 / max)",
                now: Distribution(times).text
            )
        }
    }

    /// Measures submissions while lists are read. Each is answered after a turn of the loop, a commit and another turn.
    private func measureDecisions(_ host: MeasuredHost, _ rows: inout Rows) throws {
        let socket = host.directory.socket
        let body = """
            {"identifier":"\(population.task(0, of: 7))","kind":"processing","earliest_begin":"2099-01-01T00:00:00Z"}
            """
        func submissions() throws -> Distribution {
            let asker = try Asker(socket, path: "/v1/tasks", body: body, pause: 2_000)
            sleep(Self.seconds)
            return try asker.stop().times
        }
        let alone = try submissions()
        let readers = try ["/v1/plugins", "/v1/tasks"].map { try Asker(socket, path: $0, pause: 0) }
        let used = try host.processorTime(ofThread: "decisions")
        let beside = try submissions()
        let share = Double(try host.processorTime(ofThread: "decisions") - used) / Double(Self.seconds) / 1e9
        let pages = try readers.map { try $0.stop().spans.count }.reduce(0, +)
        rows.add("\(size): a submission answered, no lists, ms (p50 / p99 / max)", now: alone.text)
        rows.add(
            "\(size): a submission answered, beside \(pages / Int(Self.seconds)) pages a second, ms (p50 / p99 / max)",
            now: beside.text
        )
        rows.add(
            "\(size): the thread of decisions meanwhile, share of a processor",
            now: String(format: "%.0f %%", share * 100)
        )
    }
}
