// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import HeapModule
import TaskModel

/// The facts by which the ready requests of one plugin are grouped: all of a group have the same reasons to wait, but for
/// the launch that a continued request may join.
struct GroupKey: Hashable, Sendable {
    var workClass: WorkClass
    /// The installed manifest permits its identifier for its kind.
    var isPermitted = true
    /// A user asked for it on the spot: neither time nor conditions nor capacity keep it waiting.
    var isUserRequested = false
    /// A change of its identifier is in flight.
    var isInFlight = false
    /// The next launch takes one of these alone (C3).
    var runsAlone = false
    /// Advisory policies have delayed it for as long as they may (C12).
    var isPastDeferral = false
    /// It has a deferral of its own, older than its class knows: it ran before.
    var hasOwnDeferral = false
}

/// The ready requests of one plugin that share a key, in the order of their numbers.
struct ReadyGroup: Sendable {
    /// A member, and the time that its deferral is counted from at the earliest.
    struct Deferred: Comparable, Sendable {
        let since: WallTime
        let place: RequestPlace
        static func < (left: Self, right: Self) -> Bool { left.since < right.since }
    }

    let key: GroupKey
    private(set) var members = Deque<RequestPlace>()
    /// When the newest of those that ever joined became due.
    private(set) var newestDue = WallTime(nanoseconds: .min)
    /// Holds members that left until they come to the front.
    private var deferred = Heap<Deferred>()

    init(key: GroupKey) { self.key = key }

    var isEmpty: Bool { members.isEmpty }

    /// Whether advisory policies can delay its members.
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

    /// The member whose deferral began first, as far as its own time decides. Drops those in front of it that left.
    mutating func firstDeferred(isMember: (RequestPlace) -> Bool) -> Deferred? {
        while let first = deferred.min {
            if isMember(first.place) { return first }
            deferred.removeMin()
        }
        return nil
    }
}

/// All groups of one plugin. A key keeps its index, so that a slot can name its group in two bytes.
struct ReadyGroups: Sendable {
    private var groups: [ReadyGroup] = []
    private var indices: [GroupKey: UInt16] = [:]
    private var backgroundCount = 0
    private var continuedCount = 0

    /// Number of ready requests in a lane; events are in none of the groups.
    func count(in lane: Lane) -> Int {
        switch lane {
        case .background: backgroundCount
        case .continued: continuedCount
        case .event: 0
        }
    }

    private mutating func add(_ count: Int, to lane: Lane) {
        if lane == .continued { continuedCount += count } else { backgroundCount += count }
    }

    subscript(index: UInt16) -> ReadyGroup { groups[Int(index)] }

    /// Some request has a deferral of its own.
    var hasOwnDeferrals: Bool { groups.contains { $0.key.hasOwnDeferral && !$0.isEmpty } }

    /// When the newest request of a class became due that is or was ready.
    func newestDue(of workClass: WorkClass) -> WallTime {
        groups.lazy.filter { $0.key.workClass == workClass && !$0.isEmpty }.map(\.newestDue).max()
            ?? WallTime(nanoseconds: .min)
    }

    /// Indices of the groups of a lane that have members.
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
