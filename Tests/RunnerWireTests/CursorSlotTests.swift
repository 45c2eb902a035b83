// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import StatementTraits
import TaskModel
import Testing

@Suite("A reader of the shared memory finds the newest whole cursor of a task")
struct CursorSlotTests {
    private let task = TaskID(launch: LaunchNumber(rawValue: 7), index: 3)

    private func place(_ slots: CursorSlot...) -> [UInt8] {
        var place = [UInt8](repeating: 0, count: CursorPlaces.stride)
        place.withUnsafeMutableBytes { bytes in
            guard let address = bytes.baseAddress else { return }
            for slot in slots { slot.write(toPlace: address) }
        }
        return place
    }

    private func slot(_ number: UInt64, _ bytes: [UInt8]) -> CursorSlot {
        CursorSlot(number: number, task: task, bytes: bytes)
    }

    @Test(.proves("C19")) func `an unwritten place has no cursor`() {
        #expect(CursorSlot.newest(of: task, in: place()) == nil)
    }

    @Test(.proves("C19"), arguments: [1, 2, 31, 4_095, 4_096])
    func `a written cursor is read whole, and the newer of two is returned`(length: Int) {
        let old = slot(4, Array(repeating: 1, count: length))
        let new = slot(5, Array(repeating: 2, count: length))
        #expect(CursorSlot.newest(of: task, in: place(old, new)) == new)
        #expect(CursorSlot.newest(of: task, in: place(new, old)) == new)
    }

    @Test(.proves("C19")) func `a slot with one changed byte is skipped, and the older slot is returned`() {
        let (old, new) = (slot(4, [1, 2, 3]), slot(5, [4, 5, 6]))
        let start = CursorSlot.position(of: 5) * CursorSlot.stride
        for index in 0..<(CursorSlot.headerSize + 3) where !(28..<32).contains(index) {
            var torn = place(old, new)
            torn[start + index] ^= 0x40
            #expect(CursorSlot.newest(of: task, in: torn) == old, "byte \(index)")
        }
    }

    @Test(.proves("C19")) func `forged lengths, short copies and slots of other tasks are skipped`() {
        var forged = place(slot(5, [4]))
        let start = CursorSlot.position(of: 5) * CursorSlot.stride
        for index in 24..<28 { forged[start + index] = 0xff }
        #expect(CursorSlot.newest(of: task, in: forged) == nil)
        #expect(CursorSlot.newest(of: task, in: Array(place(slot(5, [4])).prefix(40))) == nil)
        #expect(CursorSlot.newest(of: task, in: []) == nil)
        let other = TaskID(launch: LaunchNumber(rawValue: 7), index: 3 + CursorPlaces.count)
        #expect(CursorSlot.newest(of: other, in: place(slot(5, [4]))) == nil)
    }

    @Test(.proves("C19")) func `a discarded cursor is an empty slot`() {
        #expect(CursorSlot.newest(of: task, in: place(slot(1, [])))?.image == .discarded)
    }

    @Test(.proves("C19"))
    func `every task of a launch has a place inside the memory, tasks of other launches have none`() {
        let launch = LaunchNumber(rawValue: 7)
        for index in [0, 1, 1_023, 1_024, 60_000] {
            let place = CursorPlaces.index(of: TaskID(launch: launch, index: index), in: launch)
            #expect(place == index % CursorPlaces.count)
        }
        #expect(CursorPlaces.index(of: TaskID(rawValue: 0), in: launch) == nil)
        #expect(CursorPlaces.index(of: TaskID(rawValue: .max), in: launch).map { $0 < CursorPlaces.count } ?? true)
    }
}
