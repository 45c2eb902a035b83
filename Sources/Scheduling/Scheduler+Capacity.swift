// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The free capacity of a host for requests that a feeder may submit: it claims only work that could start soon.
package struct FreeCapacity: Hashable, Sendable {
    package let lanes: [OfLane]
    package let plugins: [OfPlugin]

    package struct OfLane: Hashable, Sendable {
        package let lane: Lane
        /// Number of launches that the launch limit of the lane still permits.
        package let free: Int
    }

    package struct OfPlugin: Hashable, Sendable {
        package let plugin: PluginIdentifier
        package let version: String
        /// SHA-256 of the library.
        package let digest: String
        /// The kinds of requests that could start soon; empty when there is none.
        package let kinds: [TaskKind]
        /// The first obstacle to the kinds that the manifest permits. Nil when a kind could start soon, for a plugin
        /// without such a kind, and while the pending work of the plugin is not loaded.
        package let obstacle: Reason?
        /// Number of requests of these kinds that the limits of pending requests and the batch of the next launch still
        /// permit.
        package let free: Int
    }
}

// The starts of requests that do not exist yet: at once, for continued requests and pushes that may not wait, and soon,
// for work of a fleet.
extension Scheduler {
    /// A request could start soon when each reason against it ends within this time.
    private static let soon: Duration = .seconds(60)

    /// The reasons against a request that the rules of submissions permit, if it were accepted now. Without a reason it
    /// starts at once: in a new launch, in one that is being prepared or, as a continued request, in `launch`.
    ///
    /// - Parameter launch: the launch that submits a continued request; nil for a user and for other requests.
    func obstacles(toNew request: PendingRequest, from launch: LaunchNumber? = nil, at now: Moment) -> [Reason] {
        let (plugin, identifier, lane) = (request.plugin, request.request.identifier, request.request.kind.lane)
        var facts = Eligibility.WorkFacts()
        // The submission begins the downloads, so that the function never starts at once.
        facts.awaitsDownload = takesDownloads(identifier, plugin)
        if lane == .continued {
            var occupancy = occupancy(of: lane)
            occupancy.use.running += inFlight.continuedComing
            facts.needsCapacity = needsCapacity(from: launch, for: plugin)
            return reasons(against: .request(request), facts, standing(of: plugin, in: lane), occupancy, at: now)
        }
        // A launch without a batch takes the request, so that this launch does not block it.
        let occupant = plugins[plugin].occupants[lane]
        let own = occupant.flatMap { launches.find($0)?.isPreparing == true ? $0 : nil }
        let standing = standing(of: plugin, in: lane, for: own)
        let occupancy = occupancy(of: lane, for: own)
        let evaluation = evaluate(plugin, in: lane, standing, occupancy, at: now)
        // The pending request that the new one replaces does not block it.
        facts.alone = evaluation.alone.flatMap { $0.label == identifier.text ? nil : $0.label }
        return reasons(against: .request(request), facts, standing, occupancy, at: now)
    }

    /// The first reason that keeps a request from starting soon if it were accepted now; nil when it could start soon.
    func obstacle(toSoonStartOf request: PendingRequest, from launch: LaunchNumber? = nil, at now: Moment) -> Reason? {
        obstacles(toNew: request, from: launch, at: now).first { !endsSoon($0, at: now) }
    }

    private func endsSoon(_ reason: Reason, at now: Moment) -> Bool {
        switch reason {
        case .laneBusy(_, _, let isStopping): isStopping
        // The container is sampled only while a request waits for it.
        case .containerLocked(let plugin): conditions.containerLocks[plugin] == nil
        default:
            // Other reasons with an end are pauses and failures of the host, which may not end then.
            reason.kind.row.group == .time && reason.end(at: now).map { $0 <= now.wall + Self.soon } ?? false
        }
    }

    /// The free capacity for background requests of the plugins. Plugins that are not installed and extensions are left
    /// out. The cost depends only on the number of the plugins.
    package func freeCapacity(of identifiers: some Sequence<PluginIdentifier>, at now: Moment) -> FreeCapacity {
        FreeCapacity(
            lanes: [Lane.background, .continued].map { lane in
                let limit = configuration.launchLimit(in: lane)
                return FreeCapacity.OfLane(lane: lane, free: max(0, limit - launches.use(of: lane).used(of: limit)))
            },
            plugins: identifiers.compactMap { freeCapacity(of: $0, at: now) }
        )
    }

    private func freeCapacity(of plugin: PluginIdentifier, at now: Moment) -> FreeCapacity.OfPlugin? {
        guard plugins.contains(plugin), let entry = plugins[plugin].entry, entry.role == .main else { return nil }
        var (kinds, obstacle): ([TaskKind], Reason?) = ([], nil)
        if !loading.isMissing(plugin) {
            for kind in TaskKind.claimable {
                let request = PendingRequest.sample(of: plugin, kind, at: now.wall)
                if SubmissionRules.problem(with: request.request, isPermitted: true, for: entry) != nil { continue }
                if let first = self.obstacle(toSoonStartOf: request, at: now) {
                    obstacle = obstacle ?? first
                } else {
                    kinds.append(kind)
                }
            }
        }
        return FreeCapacity.OfPlugin(
            plugin: plugin,
            version: entry.version,
            digest: entry.library.digest,
            kinds: kinds,
            obstacle: kinds.isEmpty ? obstacle : nil,
            free: room(for: kinds, of: plugin)
        )
    }

    private func room(for kinds: [TaskKind], of plugin: PluginIdentifier) -> Int {
        let limits = plugins[plugin].policy.limits ?? configuration.limits
        let pending = Set(kinds.map(\.countedAs)).reduce(0) { sum, kind in
            sum + max(0, (limits[kind] ?? 0) - plugins[plugin].requests.limits.count(of: kind))
        }
        let batch = configuration.batchSize - plugins[plugin].requests.groups.count(in: .background)
        return max(0, min(pending, batch))
    }
}

extension TaskKind {
    /// The kinds of requests for whose claims a host reports capacity. A user watches a continued request, so it has none.
    fileprivate static let claimable = submittable.filter { $0.lane == .background }
}

extension PendingRequest {
    /// A request of a kind without requirements, to evaluate in place of requests that do not exist yet. No request has
    /// its number and its identifier.
    fileprivate static func sample(of plugin: PluginIdentifier, _ kind: TaskKind, at now: WallTime) -> PendingRequest {
        let number = SubmissionNumber(rawValue: 0)
        return PendingRequest(
            plugin: plugin,
            number: number,
            request: TaskRequest(identifier: .transfer(number, of: plugin), kind: kind, protection: .none),
            submitter: .user,
            submittedAt: now
        )
    }
}
