// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Measuring

/// Durable submissions for an idle plugin: by one connection, by eight, and in batches of 100. Every request is due in
/// 2099, and each measurement has a new host.
struct Durability {
    private let programs: Programs
    private let seconds: Int

    init(_ programs: Programs, seconds: Int) { (self.programs, self.seconds) = (programs, seconds) }

    func measure() throws -> [Figure] {
        let (append, single, hundred) = (try commits("append"), try commits("1"), try commits("100"))
        let appended = try Figure("a C program: appends of 4 KiB with fdatasync", .perSecond, append.rates())
        let commit = try Figure("a C program: a transaction of SQLite with one row", .milliseconds, single.times)
        let transactions = try Figure("a C program: rows, one per transaction", .perSecond, single.rates())
        let rows = try Figure("a C program: rows, 100 per transaction", .perSecond, hundred.rates(100))
        let bare = try [(1, nil), (8, nil), (1, 100)].map { connections, batch in
            try Figure(
                "a bare queue with NIO and JSON: " + Self.title(connections, batch),
                .perSecond,
                bareSubmissions(connections: connections, batch: batch).rates(batch ?? 1)
            )
        }
        let one = try submissions(connections: 1, batch: nil)
        return [
            try Figure("submission sent to answered, 1 connection", .milliseconds, one.times, limit: commit),
            try Figure(Self.title(1, nil), .perSecond, one.rates(), limit: bare[0]),
            try Figure(
                Self.title(8, nil),
                .perSecond,
                submissions(connections: 8, batch: nil).rates(),
                limit: bare[1]
            ),
            try Figure(
                Self.title(1, 100),
                .perSecond,
                submissions(connections: 1, batch: 100).rates(100),
                limit: bare[2]
            ),
        ] + bare + [commit, transactions, rows, appended]
    }

    private static func title(_ connections: Int, _ batch: Int?) -> String {
        let title = "submissions, \(connections) connection\(connections == 1 ? "" : "s")"
        return batch.map { "\(title), batches of \($0)" } ?? title
    }

    /// The same calls to the program `BareQueue`.
    private func bareSubmissions(connections: Int, batch: Int?) throws -> Calls {
        let queue = try BareQueue(programs)
        defer { queue.stop() }
        return try Submissions(connections: connections, batch: batch) { "com.example.n0.job.r\($0)" }
            .measure(queue.socket, seconds: seconds)
    }

    private func submissions(connections: Int, batch: Int?) throws -> Calls {
        let directory = try HostDirectory.throughput(programs, plugins: 1, library: "libNoop.so", configuration: [])
        defer { directory.remove() }
        let submissions = Submissions(connections: connections, batch: batch) { "com.example.n0.job.r\($0)" }
        return try directory.withHost(programs) { _, _ in
            try submissions.measure(directory.socket, seconds: seconds)
        }
    }

    /// Commits of the C program, in an empty directory on the same disk.
    private func commits(_ way: String) throws -> Calls {
        let directory = try HostDirectory(programs.bench + "/commits", configuration: [])
        defer { directory.remove() }
        return Calls(lines: try Programs.output(of: programs.bench + "/Commits", [directory.path, "\(seconds)", way]))
    }
}
