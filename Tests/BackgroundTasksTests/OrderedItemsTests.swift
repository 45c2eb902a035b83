// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import BackgroundTasks

@Suite("The items behind a cursor are those that follow it in ascending order")
struct OrderedItemsTests {
    /// All items behind a cursor.
    private func items(_ words: [String], after start: String?) throws -> [String] {
        let ordered = OrderedItems(words, after: start) { $0 }
        var found: [String] = []
        while let word = try ordered.next() { found.append(word) }
        return found
    }

    @Test func `without a cursor every item follows`() throws {
        #expect(try items(["a", "b"], after: nil) == ["a", "b"])
        #expect(try items([], after: nil) == [])
    }

    @Test func `the item of the cursor and the items before it are left out`() throws {
        #expect(try items(["a", "b", "c"], after: "a") == ["b", "c"])
        #expect(try items(["a", "b", "c"], after: "c") == [])
    }

    @Test func `a cursor whose item was removed is followed by the next greater item`() throws {
        #expect(try items(["a", "c", "d"], after: "b") == ["c", "d"])
        #expect(try items(["a", "b"], after: "z") == [])
    }

    @Test(arguments: [["b", "a", "c"], ["a", "a", "b"]])
    func `items in another order throw also in front of the cursor, where a later run would skip them`(
        _ words: [String]
    ) {
        #expect(throws: BGTask.ResumingError.self) { try items(words, after: "b") }
        #expect(throws: BGTask.ResumingError.self) { try items(words, after: nil) }
    }

    @Test func `a number that equals no number is refused as a cursor`() {
        let ordered = OrderedItems([1, Double.nan], after: nil) { $0 }
        #expect(throws: BGTask.ResumingError.self) { while try ordered.next() != nil {} }
    }
}
