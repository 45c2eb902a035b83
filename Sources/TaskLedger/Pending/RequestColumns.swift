// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// What both tables of requests, pending and running, hold of one beside its number, owner, identifier and payload. The
/// one place that knows the order in which it is written and read.
enum RequestColumns {
    static let names = [
        "kind", "earliest_begin", "requires_network", "requires_external_power", "protection", "title", "subtitle",
        "strategy", "resources", "submitter", "submitted_at", "attempts", "not_before", "runs_alone",
        "was_interrupted", "held_softly_since",
    ]

    static let list = names.joined(separator: ", ")
    static let placeholders = names.map { _ in "?" }.joined(separator: ", ")
    static let replacements = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    /// With the submitter's identifier, from the table of plugins joined as `other`.
    static let readable = names.map { $0 == "submitter" ? "other.identifier AS submitter" : $0 }.joined(separator: ", ")
    /// Up to the submitter; events have nothing in them.
    static let ofRequestsAlone = 10

    static func values(
        of pending: PendingRequest,
        names: inout PluginNames,
        in database: Database
    ) throws -> StatementArguments {
        let (request, terms, retry) = (pending.request, pending.request.continued, pending.retry)
        return [
            Int64(request.kind.rawValue), request.earliestBegin?.nanoseconds, request.requiresNetwork,
            request.requiresExternalPower, Int64(request.protection.rawValue), terms?.title, terms?.subtitle,
            terms.map { Int64($0.strategy.rawValue) }, terms.map { Int64(bitPattern: $0.resources.rawValue) },
            try names.number(of: pending.submitter, in: database), pending.submittedAt.nanoseconds, retry.attempts,
            retry.notBefore?.nanoseconds, retry.runsAlone, retry.wasInterrupted, pending.heldSoftlySince?.nanoseconds,
        ]
    }
}

extension PendingRequest {
    /// Reads the identifier and then the columns.
    init(_ number: SubmissionNumber, of plugin: PluginIdentifier, from row: inout RowReader) throws {
        self.init(
            plugin: plugin,
            number: number,
            request: TaskRequest(
                identifier: try row.value({ try $0.text() }, { TaskIdentifier($0) }),
                kind: try row.code(),
                earliestBegin: try row.optionalWallTime(),
                requiresNetwork: try row.flag(),
                requiresExternalPower: try row.flag(),
                protection: try row.code(),
                continued: try row.continuedTerms()
            ),
            submitter: try row.submitter(),
            submittedAt: try row.wallTime(),
            retry: try row.retry(),
            heldSoftlySince: try row.optionalWallTime()
        )
    }
}

extension RowReader {
    /// Four columns; without a title the others hold nothing.
    fileprivate mutating func continuedTerms() throws -> ContinuedTerms? {
        guard let title = try optionalText() else {
            skip(3)
            return nil
        }
        return ContinuedTerms(
            title: title,
            subtitle: try optionalText(),
            strategy: try code(),
            resources: TaskResources(rawValue: UInt64(bitPattern: try integer()))
        )
    }
}
