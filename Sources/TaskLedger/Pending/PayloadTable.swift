// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

/// Statements on the table of payloads.
///
/// Payloads have their own table, keyed by submission number. A request that starts or is requeued moves its row and
/// leaves its payload in place, and reading pending work reads no payloads. The rows of work contain the payload size,
/// so that a lost payload is not mistaken for an empty one. Empty payloads have no row.
extension WriteAccess {
    func store(_ payload: [UInt8], of number: SubmissionNumber) throws {
        if payload.isEmpty { return }
        try run(Payload.insert, number.rawValue, Data(payload))
    }

    func removePayload(of number: SubmissionNumber) throws { try run(Payload.remove, number.rawValue) }

    /// Removes a row of pending work and its payload. Does nothing when the table has no such row, because an earlier
    /// change may have started the work: its launch then needs the payload.
    ///
    /// - Parameter statement: the removal of the row with the number.
    func removeWork(_ number: SubmissionNumber, by statement: StatementText) throws {
        try run(statement, number.rawValue)
        if changes > 0 { try removePayload(of: number) }
    }
}

extension Database {
    /// The payloads of the unfinished tasks of a launch, by submission number.
    func payloads(of launch: LaunchNumber) throws -> [SubmissionNumber: [UInt8]] {
        let payloads = try rows(Payload.ofLaunch, [launch.rawValue], of: "task") { row in
            (try row.submission("submission"), try row.payload())
        }
        return Dictionary(payloads) { first, _ in first }
    }

    /// The payload of an unfinished task of that launch; nil when there is no such task.
    func payload(of submission: SubmissionNumber, in launch: LaunchNumber) throws -> [UInt8]? {
        try rows(Payload.ofTask, [launch.rawValue, submission.rawValue], of: "task") { try $0.payload() }.first
    }
}

extension RowReader {
    fileprivate mutating func payload() throws -> [UInt8] {
        let size = try count("payload_size")
        if size == 0 { return [] }
        let bytes = try bytes("bytes")
        guard bytes.count == size else {
            let number = try submission("submission")
            throw LedgerFault.damaged("submission \(number) has \(bytes.count) bytes of payload instead of \(size)")
        }
        return bytes
    }
}

extension Database {
    /// The payload of a pending request; nil when the request is no longer pending.
    func payload(ofPending number: SubmissionNumber) throws -> [UInt8]? {
        try rows(Payload.ofRequest, [number.rawValue], of: "request") { try $0.payload() }.first
    }
}

enum Payload {
    static let insert = StatementText("INSERT INTO payload (submission, bytes) VALUES (?, ?)")
    static let remove = StatementText("DELETE FROM payload WHERE submission = ?")

    static let ofRequest = """
        SELECT number AS submission, payload_size, bytes
        FROM request LEFT JOIN payload ON payload.submission = request.number
        WHERE number = ?
        """
    static let ofTask = "\(ofLaunch) AND submission = ?"
    static let ofLaunch = """
        SELECT submission, payload_size, bytes FROM task LEFT JOIN payload USING (submission)
        WHERE launch = ? AND is_over = 0
        """
}
