// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// The columns of a request that the tables `request` and `task` share, without the columns for number, plugin,
/// identifier and payload.
enum RequestColumns {
    /// The columns of the submitted values, in the order of `StatementRun.bind(submitted:)`.
    static let submitted = [
        "kind", "earliest_begin", "requires_network", "requires_external_power", "protection", "title", "subtitle",
        "strategy", "resources", "submitter", "submitted_at", "expires_at",
        "claim_item", "claim_fence", "claim_bound", "claim_lease",
    ]
    /// The columns of the values that launches and interruptions change, in the order of `StatementRun.bind(changed:)`.
    static let changed = RetryColumns.names + ["deferred_since"]
    static let names = submitted + changed

    static let list = names.joined(separator: ", ")
    static let placeholders = names.map { _ in "?" }.joined(separator: ", ")
    static let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
}

extension StatementRun {
    /// Binds the values of `RequestColumns.names`.
    ///
    /// - Parameter submitter: the number of the submitter in table `plugin`; nil for a user.
    mutating func bind(_ pending: PendingRequest, submitter: Int64?) throws {
        try bind(submitted: pending, submitter: submitter)
        try bind(changed: pending)
    }

    private mutating func bind(submitted pending: PendingRequest, submitter: Int64?) throws {
        let (request, terms) = (pending.request, pending.request.continued)
        try bind(Int64(request.kind.rawValue))
        try bind(request.earliestBegin?.nanoseconds)
        try bind(request.requiresNetwork)
        try bind(request.requiresExternalPower)
        try bind(Int64(request.protection.rawValue))
        try bind(terms?.title)
        try bind(terms?.subtitle)
        try bind((terms?.strategy.rawValue).map(Int64.init))
        try bind((terms?.resources.rawValue).map(Int64.init(bitPattern:)))
        try bind(submitter)
        try bind(pending.submittedAt.nanoseconds)
        try bind(request.expiresAt?.nanoseconds)
        try bind(request.claim?.claim.item)
        try bind(request.claim?.claim.fence)
        try bind(request.claim?.claim.boundCode)
        try bind(request.claim?.lease)
    }

    /// Binds the values that launches and interruptions change, in the order of `RequestColumns.changed`.
    mutating func bind(changed pending: PendingRequest) throws {
        try bind(pending.retry)
        try bind(pending.deferredSince?.nanoseconds)
    }
}

extension RowReader {
    /// Reads the columns `RequestColumns.names`.
    ///
    /// - Parameter identifier: the column with the task identifier.
    mutating func request(
        _ number: SubmissionNumber,
        of plugin: PluginIdentifier,
        identifier: String,
        submitters: inout SubmitterNames
    ) throws -> PendingRequest {
        PendingRequest(
            plugin: plugin,
            number: number,
            request: TaskRequest(
                identifier: try value(identifier, fromText: { TaskIdentifier($0) }),
                kind: try code("kind"),
                earliestBegin: try optionalWallTime("earliest_begin"),
                expiresAt: try optionalWallTime("expires_at"),
                requiresNetwork: try flag("requires_network"),
                requiresExternalPower: try flag("requires_external_power"),
                protection: try code("protection"),
                continued: try continuedTerms(),
                claim: try leasedClaim()
            ),
            submitter: try submitters.submitter(from: &self),
            submittedAt: try wallTime("submitted_at"),
            retry: try retry(),
            deferredSince: try optionalWallTime("deferred_since")
        )
    }

    /// The continued terms of the row; nil when the row has no title.
    private mutating func continuedTerms() throws -> ContinuedTerms? {
        guard let title = try optionalText("title") else { return nil }
        return ContinuedTerms(
            title: title,
            subtitle: try optionalText("subtitle"),
            strategy: try code("strategy"),
            resources: TaskResources(rawValue: UInt64(bitPattern: try integer("resources")))
        )
    }
}

extension Claim {
    /// The value of the column `claim_bound`.
    var boundCode: Int64 { isBound ? 1 : 0 }
}

extension RowReader {
    /// The claim in columns `claim_item`, `claim_fence` and `claim_bound`; nil for a row without a claim.
    mutating func claim() throws -> Claim? {
        let item = try optional("claim_item") { try $0.integer($1) }
        let fence = try optional("claim_fence") { try $0.integer($1) }
        let bound = try optional("claim_bound") { try $0.integer($1) }
        guard let item, let fence, let bound else { return nil }
        return Claim(item: item, fence: fence, isBound: bound != 0)
    }

    fileprivate mutating func leasedClaim() throws -> LeasedClaim? {
        let found = try claim()
        let lease = try optionalText("claim_lease")
        guard let found, let lease else { return nil }
        return LeasedClaim(found, under: lease)
    }
}
