// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of the start of a host with a million pending requests: the times of its first answer, of the first
/// answer about a single plugin, and of complete loading; with the ledger in the kernel's cache and without.
struct Start {
    private let programs: Programs
    private let population: Population

    init(_ programs: Programs) {
        self.programs = programs
        population = .start(programs)
    }

    func measure() throws {
        var rows = Rows()
        let directory = try population.restored()
        let reading = ["-cmd", ".output /dev/null", directory.ledger, "SELECT * FROM request"]
        let query = seconds(try Programs.duration(of: "/usr/bin/sqlite3", reading))
        try measure(directory, "cached", "\(query) (SQLite reads the rows)", &rows)
        let cold = try population.restored()
        if dropCaches() {
            let file = seconds(try Programs.duration(of: "/usr/bin/cksum", [cold.ledger]))
            _ = dropCaches()
            try measure(cold, "not cached", "\(file) (cksum reads the \(population.ledgerMegabytes) MiB)", &rows)
        }
        try rows.write("3-start", programs)
    }

    private func measure(
        _ directory: HostDirectory,
        _ cache: String,
        _ machine: String,
        _ rows: inout Rows
    ) throws {
        let host = try MeasuredHost(programs, in: directory)
        defer { host.stop() }
        let control = try host.connect()
        _ = try control.get("/v1/host")
        let answered = monotonicNow()
        let last = population.plugins - 1
        let calls = [
            "/v1/plugins/\(population.plugin(last))",
            "/v1/tasks/\(population.task(population.each - 2, of: last))/why",
        ].map { SingleCall(directory.socket, path: $0) }
        var partialLists = 0
        while try JSON(control.get("/v1/tasks?limit=1"))["partial"].bool {
            partialLists += 1
            usleep(20_000)
        }
        let loaded = monotonicNow()
        let (plugin, why) = (try calls[0].answeredAt(), try calls[1].answeredAt())
        sleep(10)
        let pending = try JSON(host.connect().get("/v1/host"))["counts"]["pending"].integer ?? 0
        guard pending == population.total else { throw BenchmarkError("\(pending) of \(population.total) were loaded") }

        let name = "\(population.total) pending of \(population.plugins) plugins, ledger \(cache)"
        func since(_ time: Int64) -> String { String(format: "%.2f", Double(time - host.startedAt) / 1e9) }
        let before = "3.3 (of 100,000)"
        rows.add("\(name): exec to answer of `host status`, s", before: before, now: since(answered), target: "under 2")
        rows.add("\(name): exec to answer of `plugin show` of the last plugin, s", before: before, now: since(plugin))
        rows.add("\(name): exec to answer of `why` of its task, s", before: before, now: since(why))
        rows.add(
            "\(name): exec until all is loaded, s; \(partialLists) lists said partial before",
            before: before,
            now: since(loaded),
            target: "under 15",
            machine: machine
        )
        rows.add(
            "\(name): memory 10 s later, MiB (most)",
            now: "\(host.kilobytes("VmRSS") >> 10) (\(host.kilobytes("VmHWM") >> 10))"
        )
    }

    private func seconds(_ time: Int64) -> String { String(format: "%.2f", Double(time) / 1e9) }

    /// Empties the kernel's caches. Returns false if the user is not permitted to do so.
    private func dropCaches() -> Bool {
        sync()
        return (try? "3\n".write(toFile: "/proc/sys/vm/drop_caches", atomically: false, encoding: .utf8)) != nil
    }
}
