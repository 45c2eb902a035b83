// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import FoundationEssentials

/// The database of a fleet. Calls run one after another on a thread of its own.
///
/// The connection opens with the first call and stays until `disconnect`, so that a sync needs one connection.
package final class FleetDatabase: Sendable {
    private let queue = DispatchQueue(label: "bgtask.fleet-database")
    private let session: Session
    /// Attempts of a call that conflicts with another transaction.
    private static let attempts = 5

    /// - Parameters:
    ///   - address: a connection string of libpq; empty for the values of the environment and of libpq's files.
    ///   - timeout: maximum time of the connection and of each call.
    package init(_ address: String, timeout: Duration = .seconds(10)) {
        session = Session(address, timeout: timeout)
    }

    /// Closes the connection. The next call opens a new one.
    package func disconnect() async {
        await withCheckedContinuation { done in
            queue.async { [session] in
                session.close()
                done.resume()
            }
        }
    }

    /// Creates the schema, applies the migrations that it lacks, and replaces its functions. Needs the administrator.
    ///
    /// - Returns: the version of the tables before, 0 without any, and now.
    package func initialize() async throws(DatabaseFailure) -> (before: Int, now: Int) {
        let versions = try await perform { session throws(DatabaseFailure) in
            let connection = try session.open()
            try connection.execute(script: FleetSchema.foundation)
            let before = Int(try connection.call("newest_migration", []) ?? "") ?? 0
            for migration in FleetSchema.migrations.filter({ $0.version > before }) {
                try connection.execute(script: migration.script)
            }
            try connection.execute(script: FleetSchema.functions)
            return [before, max(before, FleetSchema.version)]
        }
        return (versions[0], versions[1])
    }

    /// Calls a function of the schema whose result is JSON.
    func call<Reply: Decodable & Sendable>(
        _ function: String,
        _ arguments: [String?]
    ) async throws(DatabaseFailure) -> Reply {
        let text = try await text(function, arguments)
        do {
            return try JSONDecoder().decode(Reply.self, from: Data((text ?? "null").utf8))
        } catch {
            throw DatabaseFailure(.misunderstood, "\(function): \(error)")
        }
    }

    /// Calls a function of the schema and returns the text of its result.
    func text(_ function: String, _ arguments: [String?]) async throws(DatabaseFailure) -> String? {
        try await perform { session throws(DatabaseFailure) in
            try Self.retrying { () throws(DatabaseFailure) in
                try session.open().call(function, arguments)
            }
        }
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws(DatabaseFailure) -> Value
    ) async throws(DatabaseFailure) -> Value {
        let result: Result<Value, DatabaseFailure> = await withCheckedContinuation { done in
            queue.async { [session] in
                do throws(DatabaseFailure) {
                    done.resume(returning: .success(try body(session)))
                } catch {
                    if error.cause == .unreachable || error.cause == .timeout { session.close() }
                    done.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private static func retrying<Value>(
        _ body: () throws(DatabaseFailure) -> Value
    ) throws(DatabaseFailure) -> Value {
        for _ in 1..<attempts {
            do throws(DatabaseFailure) {
                return try body()
            } catch {
                guard error.isConflict else { throw error }
            }
        }
        return try body()
    }
}

extension FleetDatabase {
    /// The connection of a database. Sendable because only the serial queue of the database uses it.
    private final class Session: @unchecked Sendable {
        private let address: String
        private let timeout: Duration
        private var connection: DatabaseConnection?

        init(_ address: String, timeout: Duration) {
            self.address = address
            self.timeout = timeout
        }

        func open() throws(DatabaseFailure) -> DatabaseConnection {
            if let connection { return connection }
            let opened = try DatabaseConnection(address, timeout: timeout)
            connection = opened
            return opened
        }

        func close() { connection = nil }
    }
}
