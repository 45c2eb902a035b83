// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CPostgreSQL
import Glibc

/// A connection of libpq. It blocks its thread, and belongs to one thread at a time. Every call has a timeout: the
/// server ends the statement at the timeout, and the client ends the connection two seconds later.
///
/// It needs no session state, so that a pooler in transaction mode may be between client and server.
final class DatabaseConnection {
    private let connection: OpaquePointer
    private let timeout: Duration

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: a connection string of libpq; empty for the values of the environment and of libpq's files.
    ///   - timeout: maximum time of the connection and of each call.
    init(_ address: String, timeout: Duration) throws(DatabaseFailure) {
        self.timeout = timeout
        let seconds = String(max(2, timeout.components.seconds))
        let names = ["dbname", "connect_timeout", "application_name", "client_encoding"]
        let values = [address, seconds, "bgtask-feeder", "UTF8"]
        guard
            let connection = CStrings.with(
                names,
                { names in
                    // The connection string is the first parameter, so the later ones override it, such as the timeout.
                    CStrings.with(values) { values in PQconnectdbParams(names, values, 1) }
                }
            )
        else { throw DatabaseFailure(.unreachable, "no memory for a connection") }
        // From here on an error runs deinit, which frees the connection.
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            let message = Self.text(PQerrorMessage(connection))
            throw DatabaseFailure(.unreachable, message, hint: "check the server and the connection string")
        }
        guard PQsetnonblocking(connection, 1) == 0 else {
            throw DatabaseFailure(.unreachable, "the connection cannot be made non-blocking")
        }
        // Notices of the server are for operators of the database.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    /// Calls a function of the schema and returns the text of its result; nil for NULL.
    ///
    /// The server's timeout and the call travel together as one transaction, so that a call needs one round trip.
    func call(_ function: String, _ arguments: [String?]) throws(DatabaseFailure) -> String? {
        let places = arguments.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        guard PQenterPipelineMode(connection) == 1 else { throw failure(.unreachable) }
        let milliseconds = String(timeout.milliseconds)
        try send("select set_config('statement_timeout', $1, true)", [milliseconds])
        try send("select bgtask_fleet.\(function)(\(places))", arguments)
        guard PQpipelineSync(connection) == 1 else { throw failure(.unreachable) }
        let deadline = ContinuousClock.now + timeout + .seconds(2)
        let results = try results(until: deadline)
        guard PQexitPipelineMode(connection) == 1 else { throw failure(.unreachable) }
        for result in results { if let failure = result.failure { throw failure } }
        guard let last = results.last(where: { $0.isTable }) else {
            throw DatabaseFailure(.misunderstood, "\(function) returned no row")
        }
        return last.firstText
    }

    /// Executes statements that need no parameters, as one transaction.
    func execute(script: String) throws(DatabaseFailure) {
        guard PQsendQuery(connection, script) == 1 else { throw failure(.unreachable) }
        for result in try results(until: .now + timeout + .seconds(2)) {
            if let failure = result.failure { throw failure }
        }
    }

    private func send(_ sql: String, _ arguments: [String?]) throws(DatabaseFailure) {
        let status = CStrings.with(arguments) { values in
            PQsendQueryParams(connection, sql, Int32(arguments.count), nil, values, nil, nil, 0)
        }
        guard status == 1 else { throw failure(.unreachable) }
    }

    /// The results of all sent statements: in pipeline mode up to the synchronization, else up to the last one.
    private func results(until deadline: ContinuousClock.Instant) throws(DatabaseFailure) -> [DatabaseResult] {
        let isPipeline = PQpipelineStatus(connection) != PQ_PIPELINE_OFF
        var results: [DatabaseResult] = []
        while true {
            try awaitResult(until: deadline)
            guard let pointer = PQgetResult(connection) else {
                // In pipeline mode a null separates the results of two statements.
                if isPipeline, PQstatus(connection) == CONNECTION_OK { continue }
                if PQstatus(connection) != CONNECTION_OK { throw failure(.unreachable) }
                return results
            }
            let result = DatabaseResult(pointer)
            if result.status == PGRES_PIPELINE_SYNC { return results }
            results.append(result)
            if PQstatus(connection) != CONNECTION_OK { throw failure(.unreachable) }
        }
    }

    /// Sends and receives until `PQgetResult` does not block.
    private func awaitResult(until deadline: ContinuousClock.Instant) throws(DatabaseFailure) {
        while true {
            let unsent = PQflush(connection)
            guard unsent >= 0 else { throw failure(.unreachable) }
            if unsent == 0, PQisBusy(connection) == 0 { return }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                cancel()
                throw DatabaseFailure(.timeout, "no answer within \(timeout.components.seconds) s")
            }
            let events = Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0)
            var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
            _ = poll(&descriptor, 1, Int32(clamping: left.milliseconds + 1))
            guard PQconsumeInput(connection) == 1 else { throw failure(.unreachable) }
        }
    }

    private func cancel() {
        guard let cancellation = PQgetCancel(connection) else { return }
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(cancellation, &message, Int32(message.count))
        PQfreeCancel(cancellation)
    }

    private func failure(_ cause: DatabaseFailure.Cause) -> DatabaseFailure {
        DatabaseFailure(cause, Self.text(PQerrorMessage(connection)))
    }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        let text = pointer.map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        return lines.isEmpty ? "no reason given" : lines.joined(separator: "; ")
    }
}

extension Duration {
    var milliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1_000).partialValue
            + components.attoseconds / 1_000_000_000_000_000
    }
}
