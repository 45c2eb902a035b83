// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// The cursor of a running task, as observed from outside.
struct SeenCursor: Hashable {
    /// Number of runs in a row without a movement after which a task ends.
    static let mostStandstills = 3

    /// Number of such runs before this one.
    var standstills = 0
    var isFromEarlierRun = false
    /// Whether the cursor is another one than at the start of the run.
    var hasMoved = false
    /// Whether the run discarded the cursor of an earlier run, and so began its work again.
    var hasBegunAgain = false

    /// The cursor after a write; nil for a cursor that the run itself wrote and discarded.
    static func after(_ write: CursorWrite, to old: SeenCursor?) -> SeenCursor? {
        var cursor = old ?? SeenCursor()
        switch write {
        case .repeated: return old
        case .moved: cursor.hasMoved = true
        case .unmoved: cursor.hasMoved = false
        case .discarded:
            if !cursor.isFromEarlierRun { return nil }
            (cursor.hasMoved, cursor.hasBegunAgain) = (false, true)
        }
        return cursor
    }

    /// The number of runs in a row without a movement after this run; nil for a run that does not count.
    func standstills(isCounted: Bool) -> Int? { isCounted && (!hasMoved || hasBegunAgain) ? standstills + 1 : nil }
}

/// The required end of a task, and the number of standstills that the same commit records; nil for none.
struct SeenEnd: Hashable {
    let fate: SeenTask.Fate
    var standstills: Int?
}
