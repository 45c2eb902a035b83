// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import PluginRuntime
import StatementTraits
import TaskModel
import Testing

@Suite("An assertion has one number, one end and at most one expiration call")
struct AssertionTableTests {
    private let launch = LaunchNumber(rawValue: 41)

    @Test(.proves(81))
    func `a launch's first 1,000 assertion numbers are distinct, not 0, and differ from its first 100 task numbers`()
        throws
    {
        var table = AssertionTable<Int>(launch: launch)
        var seen: Set<UInt64> = [0]
        for _ in 0..<1_000 {
            let id = try table.open(nil)
            #expect(seen.insert(id.rawValue).inserted)
            #expect(table.end(id).isEnded)
        }
        for index in 0..<100 { #expect(!seen.contains(TaskID(launch: launch, index: index).rawValue)) }
    }

    @Test(.proves(81)) func `unknown and ended assertion numbers, and those of another launch, end no assertion`()
        throws
    {
        var table = AssertionTable<Int>(launch: launch)
        let id = try table.open(nil)
        for foreign in [0, 1, UInt64.max, TaskID(launch: launch, index: 0).rawValue] {
            #expect(!table.end(AssertionID(rawValue: foreign)).isEnded)
        }
        #expect(!table.end(AssertionID(launch: LaunchNumber(rawValue: 40), count: 1)).isEnded)
        #expect(!table.isEmpty)
        #expect(table.end(id).isEnded)
        #expect(!table.end(id).isEnded && table.isEmpty)
    }

    @Test(.proves(81))
    func `open assertions are limited to the header's maximum, and an ended one frees a place`() throws {
        #expect(AssertionID.openLimit == Int(BGTASK_ASSERTIONS_MAX))
        #expect(AssertionID.nameLimit == Int(BGTASK_TITLE_MAX))
        var table = AssertionTable<Int>(launch: launch)
        let ids = (0..<AssertionID.openLimit).compactMap { _ in table.begin(nil).id }
        #expect(ids.count == AssertionID.openLimit)
        #expect(table.begin(nil) == .tooMany)
        #expect(table.end(ids[7]).isEnded)
        #expect(table.begin(nil).id != nil)
    }

    @Test(.proves(81)) func `no assertion begins after the launch's assertions have expired or the launch has ended`() {
        var table = AssertionTable<Int>(launch: launch)
        #expect(table.expire(.budget).isEmpty)
        #expect(table.begin(1) == .tooLate)
        var over = AssertionTable<Int>(launch: launch)
        #expect(over.close().isEmpty)
        #expect(over.begin(1) == .tooLate)
    }

    @Test(.proves(82)) func `an open assertion with a handler gets one expiration call, with the first reason`() throws
    {
        var table = AssertionTable<Int>(launch: launch)
        let ids = (1...3).compactMap { table.begin($0).id }
        let silent = try table.open(nil)
        #expect(table.beginCall(of: ids[0])?.0 == nil, "not before its time")
        #expect(table.end(ids[1]).released == 2)
        #expect(table.expire(.hostShutdown) == [ids[0], ids[2]])
        #expect(table.expire(.budget).isEmpty)
        let call = table.beginCall(of: ids[0])
        #expect(call?.0 == 1 && call?.1 == .hostShutdown)
        #expect(table.beginCall(of: ids[0])?.0 == nil)
        #expect(table.beginCall(of: silent)?.0 == nil)
    }

    @Test(.proves(82))
    func `an assertion ended before its expiration call gets no call; ended inside it, the call releases the handler`()
    {
        var table = AssertionTable<Int>(launch: launch)
        let ids = (1...2).compactMap { table.begin($0).id }
        _ = table.expire(.budget)
        #expect(table.end(ids[0]).released == 1)
        #expect(table.beginCall(of: ids[0])?.0 == nil)
        #expect(table.beginCall(of: ids[1])?.0 == 2)
        let ending = table.end(ids[1])
        #expect(ending.isEnded && ending.released == nil)
        #expect(table.close().isEmpty)
    }

    // Random orders of the calls that threads can make; a handler is a number that is never reused.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func `in 50 random orders of assertion calls no handler is lost and none is released twice`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = AssertionTable<Int>(launch: launch)
        var given = 0
        var released: [Int] = []
        var ids: [AssertionID] = []
        for _ in 0..<100 {
            switch Int.random(in: 0...9, using: &random) {
            case 0...3:
                given += 1
                if let id = table.begin(given).id { ids.append(id) } else { released.append(given) }
            case 4...6: if let id = ids.randomElement(using: &random) { released += table.end(id).handlers }
            case 7: if Int.random(in: 0...9, using: &random) == 0 { _ = table.expire(.budget) }
            default:
                if let id = ids.randomElement(using: &random), let call = table.beginCall(of: id) {
                    released.append(call.0)
                }
            }
        }
        released += table.close()
        for id in ids {
            released += table.end(id).handlers
            if let call = table.beginCall(of: id) { released.append(call.0) }
        }
        #expect(released.sorted() == Array(1...max(1, given)))
    }
}

extension AssertionTable {
    fileprivate mutating func open(_ handler: Handler?) throws -> AssertionID {
        let beginning = begin(handler)
        return try #require(beginning.id)
    }
}

extension AssertionTable.Beginning {
    fileprivate var id: AssertionID? { if case .begun(let id) = self { id } else { nil } }
}

extension AssertionTable.Ending {
    fileprivate var isEnded: Bool { if case .ended = self { true } else { false } }
    fileprivate var released: Handler? { if case .ended(let handler) = self { handler } else { nil } }
    fileprivate var handlers: [Handler] { [released].compactMap { $0 } }
}
