// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import Scheduling
import TaskModel

/// A scheduler on a modelled machine: a virtual clock, occurrences at future times, and the timer of the scheduler. A
/// subclass models the machine: it performs the actions of the scheduler and sends it events.
class ModelledHost {
    private(set) final var scheduler: Scheduler
    final var clock: VirtualClock
    final var wake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)

    private final var occurrences = Heap<Occurrence>()
    private final var lastOrder = 0
    private final var inbox: [SchedulerEvent] = []
    private final var isWorking = false

    init(_ scheduler: consuming Scheduler, _ clock: VirtualClock) {
        self.scheduler = scheduler
        self.clock = clock
    }

    // MARK: The model, in subclasses

    /// Performs an action of the scheduler. Its results are added with `post` or `later`.
    func perform(_ action: SchedulerAction) {}

    func occur(_ occurrence: Occurrence) {}

    /// Called before each event. The events of a host that may not continue are dropped.
    func mayContinue() -> Bool { true }

    /// Number of times that the timer may fire at one instant. The scheduler may set it to the present again.
    var timerRepetitions: Int { 8 }

    // MARK: Time

    /// Time until the next occurrence or alarm of the scheduler; nil without one.
    final var untilNextDecision: Duration? {
        let now = clock.now
        let pauses = [
            occurrences.min.map { $0.at - now.monotonic },
            wake.monotonic.map { $0 - now.monotonic },
            wake.wall.map { $0 - now.wall },
        ]
        return pauses.compactMap(\.self).min().map { max(.zero, $0) }
    }

    final func actOnOccurrences() {
        while let next = occurrences.min, next.at <= clock.now.monotonic, mayContinue() {
            occurrences.removeMin()
            occur(next)
        }
        if isWakeDue { fireTimer() }
    }

    private final var isWakeDue: Bool {
        wake.monotonic.map { $0 <= clock.now.monotonic } ?? false || wake.wall.map { $0 <= clock.now.wall } ?? false
    }

    /// Sends `timerFired` while the timer is due. After `timerRepetitions` times the timer waits for 1 ms, so that time
    /// advances.
    private final func fireTimer() {
        var left = timerRepetitions
        while isWakeDue, left > 0, mayContinue() {
            left -= 1
            send(.timerFired)
        }
        if isWakeDue { wake = (clock.now.monotonic + .milliseconds(1), nil) }
    }

    // MARK: Events

    /// Adds an event that the scheduler handles after the present one.
    final func post(_ event: SchedulerEvent) { inbox.append(event) }

    final func send(_ event: SchedulerEvent) {
        inbox.append(event)
        if isWorking { return }
        isWorking = true
        defer { isWorking = false }
        var next = 0
        while next < inbox.count, mayContinue() {
            for action in scheduler.handle(inbox[next], at: clock.now) { perform(action) }
            next += 1
        }
        inbox.removeAll(keepingCapacity: true)
    }

    final func later(by delay: Duration, _ launch: LaunchNumber?, _ what: Occurrence.What) {
        lastOrder += 1
        occurrences.insert(Occurrence(at: clock.now.monotonic + delay, order: lastOrder, launch: launch, what: what))
    }
}
