// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import Scheduling
import TaskModel
import Testing

@testable import HostService

@Suite("The decision loop's inputs are handled by urgency, and launches take turns")
final class InputQueueTests {
    private var queue = InputQueue()

    /// An input with a message that has its own number.
    private static func message(_ launch: Int64, _ index: Int) -> DecisionLoop.Input {
        let number = LaunchNumber(rawValue: launch)
        return .launch(.message(number, .assertionEnded(AssertionID(rawValue: UInt64(index)))))
    }

    private static func end(_ launch: Int64) -> DecisionLoop.Input {
        .launch(.killTimePassed(LaunchNumber(rawValue: launch)))
    }

    /// A short form of an input: `m1.4` is the message with the number 4 of launch 1.
    private static func label(_ input: DecisionLoop.Input) -> String {
        switch input {
        case .event(.committed(let ticket)): "commit \(ticket.rawValue)"
        case .timer: "timer"
        case .launch(.message(let launch, .assertionEnded(let number))): "m\(launch).\(number.rawValue)"
        case .launch(.killTimePassed(let launch)): "end \(launch)"
        case .launch(.unavailable(let launch, _)): "none \(launch)"
        default: "?"
        }
    }

    private static func commit(_ ticket: UInt64) -> DecisionLoop.Input {
        .event(.committed(Ticket(rawValue: ticket)))
    }

    private func add(_ inputs: DecisionLoop.Input...) {
        for input in inputs { queue.append(input) }
    }

    private func add(messages: Range<Int>, of launch: Int64) {
        for index in messages { queue.append(Self.message(launch, index)) }
    }

    private func admitOrPause(_ launch: LaunchNumber) -> Bool { queue.admitOrPause(launch) }

    private func all() -> [String] {
        var labels: [String] = []
        while let delivery = queue.next() { labels.append(Self.label(delivery.input)) }
        return labels
    }

    @Test func `the decision loop handles the messages of launches in turns, however many each launch has`() {
        add(messages: 0..<4, of: 1)
        add(messages: 0..<2, of: 2)
        add(messages: 0..<1, of: 3)
        #expect(all() == ["m1.0", "m2.0", "m3.0", "m1.1", "m2.1", "m1.2", "m1.3"])
        #expect(queue.isEmpty)
    }

    @Test func `the decision loop handles a commit before messages that arrived before the commit`() {
        add(messages: 0..<2, of: 1)
        add(Self.commit(1))
        #expect(all() == ["commit 1", "m1.0", "m1.1"])
    }

    @Test func `the decision loop handles a message after every fourth urgent input`() {
        add(messages: 0..<2, of: 1)
        for ticket in 1...9 as ClosedRange<UInt64> { add(Self.commit(ticket)) }
        let expected = [
            "commit 1", "commit 2", "commit 3", "commit 4", "m1.0", "commit 5", "commit 6", "commit 7", "commit 8",
            "m1.1",
            "commit 9",
        ]
        #expect(all() == expected)
    }

    @Test
    func `the decision loop handles a launch's end after that launch's messages and before other launches' messages`() {
        add(messages: 0..<3, of: 1)
        add(messages: 0..<2, of: 2)
        add(Self.end(2))
        #expect(all() == ["m2.0", "m2.1", "end 2", "m1.0", "m1.1", "m1.2"])
    }

    @Test func `the last messages of an ending launch alternate with urgent inputs, and other launches get turns`() {
        add(messages: 0..<1, of: 1)
        add(messages: 0..<6, of: 2)
        add(Self.end(2))
        for ticket in 1...3 as ClosedRange<UInt64> { add(Self.commit(ticket)) }
        let expected = [
            "m2.0", "commit 1", "m2.1", "commit 2", "m1.0", "m2.2", "commit 3", "m2.3", "m2.4", "m2.5", "end 2",
        ]
        #expect(all() == expected)
    }

    @Test func `the decision loop handles urgent inputs between the events of a batch, whose order is kept`() {
        for ticket in 101...104 as ClosedRange<UInt64> { queue.append(ofBatch: Self.commit(ticket)) }
        for ticket in 1...6 as ClosedRange<UInt64> { add(Self.commit(ticket)) }
        let expected = [
            "commit 1", "commit 2", "commit 3", "commit 4", "commit 101", "commit 5", "commit 6", "commit 102",
            "commit 103", "commit 104",
        ]
        #expect(all() == expected)
        #expect(queue.isEmpty)
    }

    @Test func `the decision loop handles the events of batches in turns with the messages of launches`() {
        add(messages: 0..<2, of: 1)
        for ticket in 101...103 as ClosedRange<UInt64> { queue.append(ofBatch: Self.commit(ticket)) }
        add(messages: 0..<3, of: 2)
        let expected = ["m1.0", "commit 101", "m2.0", "m1.1", "commit 102", "m2.1", "commit 103", "m2.2"]
        #expect(all() == expected)
        queue.append(ofBatch: Self.commit(104))
        add(messages: 3..<4, of: 2)
        #expect(all() == ["commit 104", "m2.3"])
    }

    @Test func `a decision loop timer does not wait for the events of a batch`() {
        for ticket in 101...199 as ClosedRange<UInt64> { queue.append(ofBatch: Self.commit(ticket)) }
        add(.timer)
        #expect(all().first == "timer")
        queue.append(ofBatch: Self.commit(1))
        #expect(queue.removeAll().count == 1 && queue.isEmpty)
    }

    @Test func `the decision loop handles the report of an unavailable runner before messages of other launches`() {
        add(messages: 0..<2, of: 1)
        add(.launch(.unavailable(LaunchNumber(rawValue: 2), LaunchError(code: .refused, message: ""))))
        #expect(all() == ["none 2", "m1.0", "m1.1"])
    }

    @Test func `the decision loop handles a timer after earlier messages and before later ones`() {
        add(messages: 0..<2, of: 1)
        add(messages: 0..<1, of: 2)
        add(.timer)
        add(messages: 2..<4, of: 1)
        #expect(all() == ["m1.0", "m2.0", "m1.1", "timer", "m1.2", "m1.3"])
    }

    @Test func `a timer without earlier messages keeps its place among the decision loop's urgent inputs`() {
        add(Self.commit(1), .timer, Self.commit(2))
        add(messages: 0..<1, of: 1)
        #expect(all() == ["commit 1", "timer", "commit 2", "m1.0"])
    }

    @Test func `a decision loop timer that fires again before it is handled is handled once`() {
        add(messages: 0..<1, of: 1)
        add(.timer)
        add(messages: 1..<2, of: 1)
        add(.timer)
        #expect(all() == ["m1.0", "timer", "m1.1"])
        add(.timer)
        #expect(all() == ["timer"])
    }

    @Test func `the decision loop's timer waits only for messages that arrived before it, even during a flood`() {
        for launch in 1...3 as ClosedRange<Int64> { add(messages: 0..<64, of: launch) }
        add(.timer)
        var handled = 0
        while let delivery = queue.next(), Self.label(delivery.input) != "timer" {
            handled += 1
            // Each handled message is followed by a new one of the same launch.
            if case .launch(let event) = delivery.input { add(Self.message(event.launch.rawValue, 64 + handled)) }
        }
        #expect(handled == 3 * 64)
    }

    @Test func `a launch with 64 queued events is paused until 32 are left, and other launches are not`() {
        let (one, two) = (LaunchNumber(rawValue: 1), LaunchNumber(rawValue: 2))
        for index in 0..<InputQueue.launchCapacity {
            #expect(admitOrPause(one))
            queue.append(Self.message(1, index))
        }
        #expect(!admitOrPause(one) && admitOrPause(two))
        var resumed: [Int] = []
        for handled in 1...InputQueue.launchCapacity {
            if queue.next()?.resumed == one { resumed.append(handled) }
            #expect(admitOrPause(one) == !resumed.isEmpty)
        }
        #expect(resumed == [InputQueue.launchCapacity - InputQueue.launchResumption])
        #expect(admitOrPause(one))
    }

    @Test func `a launch whose queue is full but was not paused is not reported as resumed`() {
        add(messages: 0..<64, of: 1)
        while let delivery = queue.next() { #expect(delivery.resumed == nil) }
    }

    @Test func `a launch that sends again after its queue was empty gets one turn at a time in the decision loop`() {
        add(messages: 0..<1, of: 1)
        #expect(all() == ["m1.0"])
        add(messages: 1..<4, of: 1)
        add(messages: 0..<3, of: 2)
        #expect(all() == ["m1.1", "m2.0", "m1.2", "m2.1", "m1.3", "m2.2"])
    }
}
