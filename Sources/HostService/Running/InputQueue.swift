// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import PluginLaunch
import TaskModel

/// The order in which the decision loop handles its inputs. It has no lock, clock or thread.
///
/// Urgent inputs (all except launch events and batches) and launches with a milestone (readiness, kill, end) come
/// first. Messages and the submissions of batches follow in turns: each launch is one party, and all batches together
/// are another. A plugin or a user that floods the host therefore delays only itself. The events of one launch keep
/// their order, its end after its messages, and so do the submissions of one batch.
struct InputQueue {
    struct Delivery {
        let input: DecisionLoop.Input
        /// The launch whose paused messages can resume; nil when there is none.
        let resumed: LaunchNumber?
    }

    /// Number of queued events of a launch from which on the queue accepts no further message of the launch.
    static let launchCapacity = 64
    /// Number of queued events of a launch to which its queue has to fall before its paused messages resume.
    static let launchResumption = 32
    /// Number of consecutive priority inputs after which the queue returns one input of the party whose turn has come.
    /// Priority inputs are all inputs other than launch events and batches, and the events of each launch that has a
    /// milestone (readiness, kill, end) among its queued events.
    static let priorityRun = 4

    private struct LaunchQueue {
        var events: Deque<(event: LaunchEvent, order: UInt64)> = []
        var milestones = 0
        var isPaused = false
    }

    /// A party that takes turns: one launch with queued events, or all batches together.
    private enum Party {
        case launch(LaunchNumber)
        case batches
    }

    private var urgent: Deque<DecisionLoop.Input> = []
    /// The submissions of batches, in the order of their arrival.
    private var batches: Deque<DecisionLoop.Input> = []
    private var hasBatchTurn = false
    private var launches: [LaunchNumber: LaunchQueue] = [:]
    /// Launches with a milestone (readiness, kill, end) among their queued events.
    private var prompt: Deque<LaunchNumber> = []
    /// The parties in turn order, each one once. A party without inputs is dropped when its turn comes.
    private var turns: Deque<Party> = []
    private var lastOrder: UInt64 = 0
    private var eventCount = 0
    private var timer = Timer.idle
    private var run = 0
    private var wasPrompt = false

    private enum Timer {
        case idle
        /// The timer fired and is handled after the launch events that arrived before it. `count` of these events, with
        /// an `order` up to `upTo`, are still queued.
        case behind(count: Int, upTo: UInt64)
        case urgent
    }

    var isEmpty: Bool { urgent.isEmpty && hasNoTurn }

    private var hasNoTurn: Bool { eventCount == 0 && batches.isEmpty }

    // MARK: Putting in

    mutating func append(_ input: DecisionLoop.Input) {
        switch input {
        case .launch(let event): append(event)
        case .timer: timerFired()
        case .event, .committed, .container, .reading: urgent.append(input)
        }
    }

    /// Adds a submission of a batch.
    mutating func append(ofBatch input: DecisionLoop.Input) {
        batches.append(input)
        if hasBatchTurn { return }
        hasBatchTurn = true
        turns.append(.batches)
    }

    private mutating func append(_ event: LaunchEvent) {
        let number = event.launch
        lastOrder += 1
        eventCount += 1
        if launches[number] == nil { turns.append(.launch(number)) }
        launches[number, default: LaunchQueue()].events.append((event, lastOrder))
        guard event.isMilestone else { return }
        if launches[number]?.milestones == 0 { prompt.append(number) }
        launches[number]?.milestones += 1
    }

    /// Queues the timer after all launch events that arrived before it. Otherwise a host that is late in handling
    /// events could kill a launch that has ended in time.
    private mutating func timerFired() {
        guard case .idle = timer else { return }
        if eventCount == 0 {
            timer = .urgent
            urgent.append(.timer)
        } else {
            timer = .behind(count: eventCount, upTo: lastOrder)
        }
    }

    /// Pauses the messages of a launch that has too many queued ones, until a delivery reports it as resumed.
    ///
    /// - Returns: whether the queue accepts another message of the launch.
    mutating func admitOrPause(_ launch: LaunchNumber) -> Bool {
        guard let queue = launches[launch], queue.isPaused || queue.events.count >= Self.launchCapacity else {
            return true
        }
        launches[launch]?.isPaused = true
        return false
    }

    // MARK: Taking out

    mutating func next() -> Delivery? {
        let hasPriority = !urgent.isEmpty || !prompt.isEmpty
        if hasPriority, run < Self.priorityRun || hasNoTurn {
            run += 1
            return nextOfPriority()
        }
        run = 0
        return nextInTurn() ?? (hasPriority ? nextOfPriority() : nil)
    }

    private mutating func nextOfPriority() -> Delivery? {
        // Alternates with urgent inputs, because an ending launch may have many queued messages.
        if let launch = prompt.first, urgent.isEmpty || !wasPrompt {
            wasPrompt = true
            return nextEvent(of: launch)
        }
        wasPrompt = false
        guard let input = urgent.popFirst() else { return nil }
        if case .timer = input { timer = .idle }
        return Delivery(input: input, resumed: nil)
    }

    private mutating func nextInTurn() -> Delivery? {
        while let party = turns.popFirst() {
            switch party {
            case .launch(let launch):
                guard launches[launch]?.events.isEmpty == false else {
                    launches[launch] = nil
                    continue
                }
                turns.append(party)
                return nextEvent(of: launch)
            case .batches:
                guard let input = batches.popFirst() else {
                    hasBatchTurn = false
                    continue
                }
                turns.append(party)
                return Delivery(input: input, resumed: nil)
            }
        }
        return nil
    }

    private mutating func nextEvent(of launch: LaunchNumber) -> Delivery? {
        guard let (event, order) = launches[launch]?.events.popFirst() else { return nil }
        eventCount -= 1
        if event.isMilestone {
            launches[launch]?.milestones -= 1
            if launches[launch]?.milestones == 0 { prompt.removeAll { $0 == launch } }
        }
        countForTimer(order)
        return Delivery(input: .launch(event), resumed: resumption(of: launch) ? launch : nil)
    }

    private mutating func countForTimer(_ order: UInt64) {
        guard case .behind(let count, let last) = timer, order <= last else { return }
        timer = count > 1 ? .behind(count: count - 1, upTo: last) : .urgent
        if count == 1 { urgent.append(.timer) }
    }

    private mutating func resumption(of launch: LaunchNumber) -> Bool {
        guard let queue = launches[launch], queue.isPaused, queue.events.count <= Self.launchResumption else {
            return false
        }
        launches[launch]?.isPaused = false
        return true
    }

    /// Removes and returns all queued inputs, in no particular order.
    mutating func removeAll() -> [DecisionLoop.Input] {
        defer { self = InputQueue() }
        return Array(urgent) + batches + launches.values.flatMap { $0.events.map { .launch($0.event) } }
    }
}

extension LaunchEvent {
    /// Whether the event begins, kills or ends a launch. The decision loop handles such an event early, because it also
    /// affects other launches.
    fileprivate var isMilestone: Bool {
        switch self {
        case .ready, .unavailable, .failedByHost, .killTimePassed, .ended: true
        case .wrote, .unlimited, .message, .refused, .malformed, .windowExceeded, .output, .outputDropped: false
        }
    }
}
