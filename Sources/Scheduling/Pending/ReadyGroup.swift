// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import HeapModule
import TaskModel

/// The facts by which the ready requests of one plugin are grouped. The same reasons block all requests of a group.
/// Only the launch that blocks or takes a continued request may differ.
struct GroupKey: Hashable, Sendable {
    var workClass: WorkClass
    /// Whether the installed manifest permits the identifier of each request for its kind.
    var isPermitted = true
    /// Whether users requested the launch of the requests: then time, conditions and capacity do not block them.
    var isUserRequested = false
    /// Whether a commit is in flight that changes the pending request or the running task of each request's identifier.
    var isInFlight = false
    /// Whether the deadlines of the requests have passed, so that the requests do not start any more.
    var isOverdue = false
    /// Whether a user paused the requests, which are transfers.
    var isPaused = false
    /// Whether downloads are open that the functions of the requests take as arguments.
    var awaitsDownload = false
    /// Whether each of the requests has to be the only task of its launch (C3).
    var runsAlone = false
    /// Whether the spacing of the kind applies to the requests: the plugin submitted them itself, and none runs again
    /// after an interruption.
    var isPaced = false
    /// Whether the maximum deferral of the requests has passed, so that advisory policies no longer delay them (C12).
    var isPastDeferral = false
    /// Whether each request has a deferral start of its own, which its previous launch stored. This start applies
    /// instead of the deferral periods of the class. False once the maximum deferral has passed.
    var hasOwnDeferral = false
}

/// The ready requests of one plugin with the same key, ordered by number.
struct ReadyGroup: Sendable {
    /// A member of the group, with the time before which its deferral cannot begin: its due time or, if the member has
    /// a deferral of its own, the start of that deferral.
    struct Deferred: Comparable, Sendable {
        let since: WallTime
        let place: RequestPlace
        static func < (left: Self, right: Self) -> Bool { left.since < right.since }
    }

    let key: GroupKey
    private(set) var members = Deque<RequestPlace>()
    /// The latest value of `since` with which a request ever joined the group.
    private(set) var newestDue = WallTime(nanoseconds: .min)
    /// The members that advisory policies can delay, earliest `since` first. The entry of a removed member stays until
    /// it is the first, or until such entries outnumber the members by more than 32.
    private var deferred = Heap<Deferred>()

    init(key: GroupKey) { self.key = key }

    var isEmpty: Bool { members.isEmpty }

    /// Whether advisory policies can delay the members of the group.
    private var isDeferrable: Bool { !key.isPastDeferral && !key.isUserRequested && key.workClass.kind != .event }

    mutating func insert(_ place: RequestPlace, since: WallTime) {
        members.insert(place, by: place.number)
        newestDue = max(newestDue, since)
        if isDeferrable { deferred.insert(Deferred(since: since, place: place)) }
    }

    mutating func remove(_ place: RequestPlace) {
        members.remove(place.number)
        if members.isEmpty {
            deferred = Heap()
        } else if deferred.count > 2 * members.count + 32 {
            let left = Set(members.map(\.slot))
            deferred = Heap(deferred.unordered.filter { left.contains($0.place.slot) })
        }
    }

    /// The member with the earliest `since`; nil when the group is empty, or when advisory policies cannot delay its
    /// members. Drops the entries of removed members that precede this member.
    mutating func firstDeferred(isMember: (RequestPlace) -> Bool) -> Deferred? {
        while let first = deferred.min {
            if isMember(first.place) { return first }
            deferred.removeMin()
        }
        return nil
    }
}

/// All groups of one plugin's ready requests. A key always has the same index, so that a slot can store the group of
/// its request in two bytes.
struct ReadyGroups: Sendable {
    private var groups: [ReadyGroup] = []
    private var indices: [GroupKey: UInt16] = [:]
    private var backgroundCount = 0
    private var continuedCount = 0
    private var transferCount = 0

    /// Number of ready requests in a lane; 0 in the event lane, because events are not in groups.
    func count(in lane: Lane) -> Int {
        switch lane {
        case .background: backgroundCount
        case .continued: continuedCount
        case .transfer: transferCount
        case .event: 0
        }
    }

    private mutating func add(_ count: Int, to lane: Lane) {
        switch lane {
        case .background: backgroundCount += count
        case .continued: continuedCount += count
        case .transfer: transferCount += count
        case .event: break
        }
    }

    subscript(index: UInt16) -> ReadyGroup { groups[Int(index)] }

    /// Whether any ready request has its own deferral start, which applies instead of the deferral periods of its
    /// class.
    var hasOwnDeferrals: Bool { groups.contains { $0.key.hasOwnDeferral && !$0.isEmpty } }

    /// The latest due time of the requests of a class, including removed requests of groups that still have members.
    /// The earliest representable time when all groups of the class are empty.
    func newestDue(of workClass: WorkClass) -> WallTime {
        groups.lazy.filter { $0.key.workClass == workClass && !$0.isEmpty }.map(\.newestDue).max()
            ?? WallTime(nanoseconds: .min)
    }

    /// Indices of the nonempty groups of a lane.
    func indices(in lane: Lane) -> [UInt16] {
        if count(in: lane) == 0 { return [] }
        return groups.indices.lazy.filter { !groups[$0].isEmpty && groups[$0].key.workClass.kind.lane == lane }
            .map { UInt16($0) }
    }

    mutating func insert(_ place: RequestPlace, under key: GroupKey, since: WallTime) -> UInt16 {
        let index: UInt16
        if let known = indices[key] {
            index = known
        } else {
            index = UInt16(groups.count)
            groups.append(ReadyGroup(key: key))
            indices[key] = index
        }
        groups[Int(index)].insert(place, since: since)
        add(1, to: key.workClass.kind.lane)
        return index
    }

    mutating func remove(_ place: RequestPlace, from index: UInt16) {
        groups[Int(index)].remove(place)
        add(-1, to: groups[Int(index)].key.workClass.kind.lane)
    }

    mutating func firstDeferred(
        in index: UInt16,
        isMember: (RequestPlace) -> Bool
    ) -> ReadyGroup.Deferred? {
        groups[Int(index)].firstDeferred(isMember: isMember)
    }
}
