// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The request store finds requests by identifier, lists them by number and reuses their slots")
struct RequestStoreTests {
    private func request(_ identifier: TaskIdentifier, _ number: Int64, title: String? = nil) -> PendingRequest {
        PendingRequest(
            plugin: .app,
            number: SubmissionNumber(rawValue: number),
            request: TaskRequest(
                identifier: identifier,
                kind: title == nil ? .processing : .continued,
                continued: title.map { ContinuedTerms(title: $0) }
            ),
            submitter: .user,
            submittedAt: WallTime(nanoseconds: 0)
        )
    }

    /// The number of elements of each stored collection in a value, by property name.
    private func sizes(of value: Any) -> [String: Int] {
        var sizes: [String: Int] = [:]
        for (label, child) in Mirror(reflecting: value).children {
            if let label, let collection = child as? any Collection { sizes[label] = collection.count }
        }
        return sizes
    }

    @Test func `the request store reuses the slot of a removed request and deletes its title and its submitter`() {
        var store = RequestStore()
        let first = store.insert(request(.album(1), 1, title: "First"))
        let filled = sizes(of: store)
        #expect(filled["terms"] == 1 && filled["byIdentifier"] == 1)
        for number: Int64 in 2...20 {
            let place = store.insert(request(.album(2), number, title: "Next"))
            store.remove(place)
            #expect(store.place(of: .album(2)) == nil && store[place] == nil)
        }
        store.remove(first)
        #expect(
            sizes(of: store) == [
                "slots": 2, "freeSlots": 2, "byIdentifier": 0, "order": 0, "terms": 0, "submitters": 0,
                "deadlines": 0, "claims": 0,
            ]
        )
    }

    @Test func `the request store lists requests inserted out of order by number, from any number on`() {
        var store = RequestStore()
        for number: Int64 in [5, 1, 9, 3, 7] { _ = store.insert(request(.job(Int(number)), number)) }
        func numbers(after number: Int64?) -> [Int64] {
            store.places(after: number.map { SubmissionNumber(rawValue: $0) }).map(\.number.rawValue)
        }
        #expect(numbers(after: nil) == [1, 3, 5, 7, 9])
        for number: Int64 in 0...10 {
            #expect(numbers(after: number) == [1, 3, 5, 7, 9].filter { $0 > number })
        }
        for number: Int64 in [5, 1, 9] { if let place = store.place(of: .job(Int(number))) { store.remove(place) } }
        #expect(numbers(after: nil) == [3, 7])
    }

    @Test func `a reference to a removed request does not reach the request that reuses its slot`() {
        var store = RequestStore()
        let old = store.insert(request(.clean, 1))
        store.remove(old)
        let new = store.insert(request(.clean, 2))
        #expect(new.slot == old.slot)
        store.remove(old)
        #expect(store[old] == nil && store.place(of: .clean) == new && store.count == 1)
    }
}
