// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Fleet
import FleetDatabase
import FoundationEssentials
import LinuxSystem
import TaskModel

/// The statements of a feeder in the fleet's database. The first one begins a new incarnation of the feeder.
actor FeederQueue {
    private let database: FleetDatabase
    private let host: FleetName
    /// The groups for which the host claims; empty for all of its groups.
    private let groups: [FleetName]
    private var calls: HostCalls?
    /// The plugins of the last successful renewal; nil before the first one.
    private var sentPlugins: [ReportedPlugin]?
    private var sentWaiting: Set<WaitingClaim> = []

    init(_ database: FleetDatabase, _ settings: FeederSettings) {
        self.database = database
        (host, groups) = (settings.host, settings.groups)
    }

    func disconnect() async { await database.disconnect() }

    /// Renews the lease.
    ///
    /// - Parameters:
    ///   - capacity: the plugins of the host, sent when they or their obstacles have changed.
    ///   - open: the open claims of the host, whose reasons for waiting are sent when they have changed.
    func sync(_ capacity: CapacityBody, _ open: LeaseBody) async throws(DatabaseFailure) -> SyncAnswer {
        let plugins = capacity.plugins.map { plugin in
            ReportedPlugin(
                plugin: plugin.identifier,
                version: plugin.version,
                digest: plugin.digest ?? "",
                ready: plugin.ready,
                reason: plugin.reason
            )
        }
        let waiting = Set(open.claims.map { WaitingClaim(item: $0.item, fence: $0.fence, reason: $0.waiting) })
        let answer = try await begun().renew(
            plugins: plugins == sentPlugins ? nil : plugins,
            waiting: Array(waiting.subtracting(sentWaiting))
        )
        (sentPlugins, sentWaiting) = (plugins, waiting)
        return SyncAnswer(
            terms: LeaseTerms(interval: .seconds(answer.intervalSeconds)),
            held: answer.held.map(Claim.init),
            ending: (answer.ending ?? []).map(Claim.init),
            campaigns: answer.campaigns.map {
                Campaign(number: $0.campaign, spread: .seconds($0.spreadSeconds))
            },
            isDraining: answer.isDrained
        )
    }

    func join(_ slots: [CampaignSlot]) async throws(DatabaseFailure) {
        let slots = slots.map {
            CampaignStart(campaign: $0.campaign, slotSeconds: Double($0.delay.wholeNanoseconds) / 1e9)
        }
        _ = try await begun().join(slots)
    }

    /// Claims items. An item that is no valid request returns to the queue with its reason.
    func claim(_ request: ClaimRequest) async throws(DatabaseFailure) -> [FleetItem] {
        let rooms = request.plugins.map { PluginRoom(plugin: $0.plugin.text, free: $0.free) }
        let claimed = try await begun().claim(rooms, bucket: request.firstBucket, limit: request.limit)
        var items: [FleetItem] = []
        var refused: [ItemReport] = []
        for item in claimed {
            do {
                items.append(try FleetItem(item, now: .now))
            } catch {
                let text = (error as? RouteError)?.reply.error.message ?? WireCoding.explanation(of: error)
                let reason = "request-invalid: \(text)"
                refused.append(.returned(item: item.item, fence: item.fence, reason: reason, delaySeconds: 3_600))
            }
        }
        if !refused.isEmpty { _ = try await begun().report(refused) }
        return items
    }

    func report(_ reports: [ClaimReport]) async throws(DatabaseFailure) -> [FinishVerdict] {
        let verdicts = try await begun().report(reports.map(ItemReport.init))
        let accepted = Set(verdicts.filter(\.accepted).map { [$0.item, $0.fence] })
        return reports.map { accepted.contains([$0.claim.item, $0.claim.fence]) ? .accepted : .superseded }
    }

    private func begun() async throws(DatabaseFailure) -> HostCalls {
        if let calls { return calls }
        let (begun, _) = try await HostCalls.begin(host.text, in: database)
        if !groups.isEmpty { try await begun.choose(groups.map(\.text)) }
        calls = begun
        return begun
    }
}

extension Claim {
    fileprivate init(_ held: LeaseRenewal.Held) {
        self.init(item: held.item, fence: held.fence, isBound: held.bound)
    }
}

extension ItemReport {
    init(_ report: ClaimReport) {
        let (item, fence) = (report.claim.item, report.claim.fence)
        switch report.ending {
        case .finished(let outcome):
            self = .finished(item: item, fence: fence, outcome: outcome)
        case .returned(let reason, let delay):
            let seconds = Double(delay.wholeNanoseconds) / 1e9
            self = .returned(item: item, fence: fence, reason: reason, delaySeconds: seconds)
        }
    }
}

extension FleetItem {
    /// Creates the item of a claim. Throws when the control API would refuse its request.
    init(_ item: ClaimedItem, now: WallTime) throws {
        var members = try Self.members(of: item)
        members["identifier"] = .text(item.identifier)
        members["kind"] = .text(item.kind)
        members["payload"] = item.payload.map(RequestMember.text)
        if let seconds = item.deadlineSeconds {
            members["expires_at"] = .text(Timestamp(now + .seconds(seconds)).description)
        }
        let submission = try WireCoding.decode(TaskSubmission.self, from: WireCoding.encode(members))
        let (request, payload) = try submission.validated()
        self.init(
            claim: Claim(item: item.item, fence: item.fence, isBound: item.bound),
            plugin: try PluginIdentifier(validating: item.plugin),
            request: request,
            payload: payload.isEmpty ? nil : payload,
            cursor: item.cursor.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        )
    }

    private static func members(of item: ClaimedItem) throws(RouteError) -> [String: RequestMember] {
        guard let members = item.request else { throw RouteError(.fieldType, "the request is not an object") }
        if let name = members.filter({ $0.value == .invalid }).keys.min() {
            throw RouteError(.fieldType, field: name, "field \"\(name)\" is neither true, false nor a string")
        }
        return members
    }
}
