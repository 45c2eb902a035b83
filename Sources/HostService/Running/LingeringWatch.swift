// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import Synchronization

/// Notifies the sensors whether to sample, and which containers to watch, as the scheduler requests. Keeps sampling on
/// for a while after its last use: otherwise the next request that needs a sampled condition would wait for a first
/// sample.
final class LingeringWatch: Sendable {
    private struct State {
        var wanted = Watch()
        var isLingering = false
        var lingers = 0
        var version = 0

        var effective: Watch { Watch(sampled: wanted.sampled || isLingering, containers: wanted.containers) }
    }

    private let state = Mutex(State())
    private let apply: @Sendable (Watch) -> Void
    private let afterLinger: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates the watch.
    ///
    /// - Parameters:
    ///   - apply: called with the conditions and containers to watch from now on. Two threads may call it at once; the
    ///     last call has the newest values.
    ///   - afterLinger: calls its argument once, on any thread, when unneeded sensors have been on long enough.
    init(
        apply: @escaping @Sendable (Watch) -> Void,
        afterLinger: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.apply = apply
        self.afterLinger = afterLinger
    }

    func set(_ watch: Watch) {
        let linger = state.withLock { state -> Int? in
            let begins = state.wanted.sampled && !watch.sampled
            if begins { state.lingers += 1 }
            state.isLingering = begins || (state.isLingering && !watch.sampled)
            state.wanted = watch
            state.version += 1
            return begins ? state.lingers : nil
        }
        applyNewest()
        if let linger { afterLinger { [self] in end(linger) } }
    }

    private func end(_ linger: Int) {
        let isOver = state.withLock { state in
            guard state.isLingering, state.lingers == linger else { return false }
            state.isLingering = false
            state.version += 1
            return true
        }
        if isOver { applyNewest() }
    }

    /// Applies the newest values, and repeats if another thread has set newer ones in between, so that the last applied
    /// values are the newest.
    private func applyNewest() {
        while true {
            let (watch, version) = state.withLock { ($0.effective, $0.version) }
            apply(watch)
            if state.withLock({ $0.version == version }) { return }
        }
    }
}
