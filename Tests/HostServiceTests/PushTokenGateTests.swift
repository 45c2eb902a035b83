// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("A device token does not end between its comparison and the commit of its push", .proves("C21"))
struct PushTokenGateTests {
    private let gate = PushTokenGate()
    private let feed: PluginIdentifier
    private let mail: PluginIdentifier

    init() throws {
        feed = try #require(PluginIdentifier("com.example.feed"))
        mail = try #require(PluginIdentifier("com.example.mail"))
    }

    /// A step that a test ends by hand.
    private final class Step: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        init() { (stream, continuation) = AsyncStream.makeStream() }
        func end() { continuation.finish() }
        func ended() async { for await _ in stream {} }
    }

    /// The calls in the order of their ends.
    private final class Order: Sendable {
        private let state = Mutex<[String]>([])
        var calls: [String] { state.withLock(\.self) }
        func note(_ call: String) { state.withLock { $0.append(call) } }
    }

    @Test func `two pushes run beside each other`() async {
        let (first, second) = (Step(), Step())
        async let one: Void = gate.pushing(to: feed) {
            second.end()
            await first.ended()
        }
        async let other: Void = gate.pushing(to: feed) {
            await second.ended()
            first.end()
        }
        _ = await (one, other)
    }

    @Test func `a change waits for the pushes before it, and the pushes after it wait for the change`() async {
        let (gate, feed, order) = (gate, feed, Order())
        let (entered, held) = (Step(), Step())
        let push = Task {
            await gate.pushing(to: feed) {
                entered.end()
                await held.ended()
                order.note("push")
            }
        }
        await entered.ended()
        let change = Task { await gate.changing(of: feed) { order.note("change") } }
        while gate.waitingCalls < 1 { await Task.yield() }
        let late = Task { await gate.pushing(to: feed) { order.note("late push") } }
        while gate.waitingCalls < 2 { await Task.yield() }
        held.end()
        _ = await (push.value, change.value, late.value)
        #expect(order.calls == ["push", "change", "late push"])
        #expect(gate.isEmpty)
    }

    @Test func `a push and a change that wait for one plugin do not delay those of another plugin`() async {
        let (gate, feed) = (gate, feed)
        let (entered, held) = (Step(), Step())
        let push = Task {
            await gate.pushing(to: feed) {
                entered.end()
                await held.ended()
            }
        }
        await entered.ended()
        let change = Task { await gate.changing(of: feed) {} }
        while gate.waitingCalls < 1 { await Task.yield() }
        #expect(await gate.changing(of: mail) { true })
        #expect(await gate.pushing(to: mail) { true })
        #expect(gate.waitingCalls == 1)
        held.end()
        _ = await (push.value, change.value)
        #expect(gate.isEmpty)
    }

    @Test func `a failed call lets the next one in`() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await gate.changing(of: feed) { throw Failure() } }
        #expect(await gate.pushing(to: feed) { true })
    }
}
