// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The items of a sequence behind a cursor. Throws at an item that is not in ascending order, because a later run would
/// skip it.
struct OrderedItems<Element> {
    private let supply: () throws -> Element?

    init<Items: Sequence, Cursor: Comparable>(
        _ items: Items,
        after start: Cursor?,
        by cursor: @escaping (Element) -> Cursor
    ) where Items.Element == Element {
        var iterator = items.makeIterator()
        var previous: Cursor?
        supply = {
            while let item = iterator.next() {
                let now = cursor(item)
                if let previous, !(previous < now) {
                    throw BGTask.ResumingError.notAscending("\(now) follows \(previous)")
                }
                previous = now
                if let start, now <= start { continue }
                return item
            }
            return nil
        }
    }

    func next() throws -> Element? { try supply() }
}
