// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSQLite
import Dispatch
import Foundation
import Synchronization

/// Writes requests to SQLite on a thread of its own. All requests that wait when a transaction begins are its group.
final class GroupWriter: Sendable {
    private struct Submission {
        let requests: [Request]
        let answer: @Sendable (_ first: Int64) -> Void
    }

    private let waiting = Mutex<[Submission]>([])
    private let signal = DispatchSemaphore(value: 0)

    /// Creates the database and starts the thread.
    init(path: String) throws {
        let database = try RequestDatabase(path)
        Thread { [self] in
            while true {
                signal.wait()
                write(to: database)
            }
        }.start()
    }

    /// Stores requests. Calls `answer` on the writing thread after they are on disk.
    func add(_ requests: [Request], _ answer: @escaping @Sendable (_ first: Int64) -> Void) {
        waiting.withLock { $0.append(Submission(requests: requests, answer: answer)) }
        signal.signal()
    }

    private func write(to database: RequestDatabase) {
        let group = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if group.isEmpty { return }
        for (submission, first) in zip(group, database.insert(group.map(\.requests))) { submission.answer(first) }
    }
}

/// The table of requests. Sendable because only the writing thread uses it after its creation. A failure ends the program: the benchmark then reports that the connection was closed.
private final class RequestDatabase: @unchecked Sendable {
    private var connection: OpaquePointer?
    private var insert: OpaquePointer?
    private var last: Int64 = 0

    init(_ path: String) throws {
        require(sqlite3_open(path, &connection))
        require(
            sqlite3_exec(
                connection,
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                CREATE TABLE request (number INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
                    earliest_begin TEXT NOT NULL)
                """,
                nil,
                nil,
                nil
            )
        )
        require(sqlite3_prepare_v2(connection, "INSERT INTO request VALUES (?, ?, ?, ?)", -1, &insert, nil))
    }

    /// Writes the requests of all submissions in one transaction. Returns the first number of each submission.
    func insert(_ submissions: [[Request]]) -> [Int64] {
        require(sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil))
        let firsts = submissions.map { requests in
            let first = last + 1
            for request in requests { insert(request) }
            return first
        }
        require(sqlite3_exec(connection, "COMMIT", nil, nil, nil))
        return firsts
    }

    private func insert(_ request: Request) {
        last += 1
        let texts = [request.identifier, request.kind, request.earliest_begin]
        sqlite3_bind_int64(insert, 1, last)
        for (index, text) in texts.enumerated() {
            // SQLite copies the text: the destructor is SQLITE_TRANSIENT, a macro that Swift does not import.
            sqlite3_bind_text(insert, Int32(index + 2), text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
        require(sqlite3_step(insert), SQLITE_DONE)
        require(sqlite3_reset(insert))
    }

    private func require(_ status: Int32, _ expected: Int32 = SQLITE_OK) {
        if status == expected { return }
        FileHandle.standardError.write(Data("BareQueue: \(String(cString: sqlite3_errmsg(connection)))\n".utf8))
        exit(1)
    }
}
