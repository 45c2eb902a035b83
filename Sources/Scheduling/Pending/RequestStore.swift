// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// A reference to a pending request: its number and the index of its slot.
struct RequestPlace: Hashable, Sendable {
    let number: SubmissionNumber
    let slot: UInt32
}

/// The slots of one plugin's pending requests, indexed by identifier and ordered by number.
struct RequestStore: Sendable {
    private var slots: ContiguousArray<RequestSlot?> = []
    private var freeSlots: [UInt32] = []
    private var byIdentifier: [TaskIdentifier: UInt32] = [:]
    private var order = Deque<RequestPlace>()
    private var terms: [UInt32: ContinuedTerms] = [:]
    private var lastTerms: UInt32 = 0
    private var deadlines: [SubmissionNumber: WallTime] = [:]
    private var claims: [SubmissionNumber: LeasedClaim] = [:]
    private var submitters: [PluginIdentifier] = []

    var count: Int { order.count }
    /// Number of stored requests with a deadline.
    var deadlineCount: Int { deadlines.count }

    func place(of identifier: TaskIdentifier) -> RequestPlace? {
        guard let slot = byIdentifier[identifier], let number = slots[Int(slot)]?.number else { return nil }
        return RequestPlace(number: number, slot: slot)
    }

    /// The slot to which `place` refers; nil when its request was removed.
    subscript(place: RequestPlace) -> RequestSlot? {
        guard let slot = slots[Int(place.slot)], slot.number == place.number else { return nil }
        return slot
    }

    func resources(of slot: RequestSlot) -> TaskResources { terms[slot.terms]?.resources ?? [] }

    func request(_ slot: RequestSlot, of plugin: PluginIdentifier) -> PendingRequest {
        PendingRequest(
            plugin: plugin,
            number: slot.number,
            request: slot.request(
                terms: slot.terms == RequestSlot.noTerms ? nil : terms[slot.terms],
                expiresAt: slot.hasDeadline ? deadlines[slot.number] : nil,
                claim: slot.hasClaim ? claims[slot.number] : nil
            ),
            submitter: submitter(slot.submitter),
            submittedAt: slot.submittedAt,
            retry: slot.retry,
            deferredSince: slot.deferredSince
        )
    }

    /// References to the requests with numbers above `number`, oldest first; to all requests when `number` is nil.
    func places(after number: SubmissionNumber?) -> Deque<RequestPlace>.SubSequence {
        guard let number else { return order[...] }
        return order[order.index(after: number)...]
    }

    // MARK: Changing

    /// Stores a request and returns a reference to it.
    ///
    /// - Precondition: no request with this identifier is stored.
    mutating func insert(_ request: PendingRequest) -> RequestPlace {
        let value = RequestSlot(
            request,
            terms: keep(request.request.continued),
            submitter: index(of: request.submitter)
        )
        let slot: UInt32
        if let free = freeSlots.popLast() {
            slot = free
            slots[Int(slot)] = value
        } else {
            slot = UInt32(slots.count)
            slots.append(value)
        }
        byIdentifier[request.request.identifier] = slot
        deadlines[request.number] = request.request.expiresAt
        claims[request.number] = request.request.claim
        let place = RequestPlace(number: request.number, slot: slot)
        order.insert(place, by: request.number)
        return place
    }

    mutating func remove(_ place: RequestPlace) {
        guard let slot = self[place] else { return }
        byIdentifier[slot.identifier] = nil
        terms[slot.terms] = nil
        if slot.hasDeadline { deadlines[slot.number] = nil }
        if slot.hasClaim { claims[slot.number] = nil }
        slots[Int(place.slot)] = nil
        freeSlots.append(place.slot)
        order.remove(place.number)
    }

    /// Sets the group of a request, and the time from which the request counts as ready.
    mutating func setGroup(_ group: UInt16, of place: RequestPlace, since: WallTime) {
        slots[Int(place.slot)]?.group = group
        slots[Int(place.slot)]?.readySince = since
    }

    mutating func setUserRequested(_ place: RequestPlace) { slots[Int(place.slot)]?.isUserRequested = true }

    mutating func setPaused(_ place: RequestPlace, _ isPaused: Bool) { slots[Int(place.slot)]?.isPaused = isPaused }

    mutating func setAwaitsDownload(_ place: RequestPlace, _ awaitsDownload: Bool) {
        slots[Int(place.slot)]?.awaitsDownload = awaitsDownload
    }

    mutating func setOverdue(_ place: RequestPlace, _ isOverdue: Bool) {
        slots[Int(place.slot)]?.isOverdue = isOverdue
    }

    mutating func dropCooldown(of place: RequestPlace) { slots[Int(place.slot)]?.dropCooldown() }

    // MARK: Tables beside the slots

    private mutating func keep(_ new: ContinuedTerms?) -> UInt32 {
        guard let new else { return RequestSlot.noTerms }
        repeat { lastTerms = lastTerms &+ 1 } while lastTerms == RequestSlot.noTerms || terms[lastTerms] != nil
        terms[lastTerms] = new
        return lastTerms
    }

    private mutating func index(of submitter: Submitter) -> UInt16 {
        switch submitter {
        case .user: return RequestSlot.submittedByUser
        case .schedule: return RequestSlot.submittedBySchedule
        case .plugin(let plugin):
            if let index = submitters.firstIndex(of: plugin) { return UInt16(index) }
            // The submitters are the plugin and its extensions, far fewer than this.
            guard submitters.count < Int(RequestSlot.submittedBySchedule) else { return RequestSlot.submittedByUser }
            submitters.append(plugin)
            return UInt16(submitters.count - 1)
        }
    }

    private func submitter(_ index: UInt16) -> Submitter {
        switch index {
        case RequestSlot.submittedByUser: .user
        case RequestSlot.submittedBySchedule: .schedule
        default: .plugin(submitters[Int(index)])
        }
    }
}

extension Deque<RequestPlace> {
    /// Index of the first reference whose number is above `number`.
    func index(after number: SubmissionNumber) -> Int {
        // Numbers rise, so the result is nearly always the end.
        guard let last, last.number > number else { return count }
        return partitionIndex { $0.number > number }
    }

    mutating func insert(_ place: RequestPlace, by number: SubmissionNumber) {
        let index = index(after: number)
        if index == count { append(place) } else { insert(place, at: index) }
    }

    mutating func remove(_ number: SubmissionNumber) {
        let index = index(after: number) - 1
        guard index >= 0, self[index].number == number else { return }
        if index == 0 { removeFirst() } else { remove(at: index) }
    }
}
