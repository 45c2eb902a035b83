// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The interval of the requests of one task and source, as far as a history shows it.
enum LearnedInterval: Hashable, Sendable {
    case every(Duration)
    /// The requests are not repeated; has the cause.
    case leftOut(String)

    /// Number of intervals that a history has to show before a replay repeats them.
    static let repetitions = 3

    /// Learns the interval of requests of one source.
    ///
    /// - Parameter history: the length of the observed history.
    init(of requests: [ObservedRun], from source: RequestSource, in history: Duration) {
        let intervals = Self.intervals(of: requests, from: source)
        let count = requests.count == 1 ? "1 request" : "\(requests.count) requests"
        guard intervals.count >= Self.repetitions else {
            self = .leftOut(
                "\(count) in \(history.humanReadable); an interval is learned after \(Self.repetitions) repetitions"
            )
            return
        }
        let interval = max(.seconds(1), intervals.sorted()[intervals.count / 2])
        guard history >= interval * Self.repetitions else {
            self = .leftOut(
                "interval \(interval.humanReadable), history of \(history.humanReadable); "
                    + "an interval is learned from a history of \(Self.repetitions) intervals"
            )
            return
        }
        self = .every(interval)
    }

    /// The delays that a plugin requested for its own runs, if most of its requests have one; otherwise the times
    /// between two submissions. The requested delay is exact: the time between two submissions contains the waits.
    private static func intervals(of requests: [ObservedRun], from source: RequestSource) -> [Duration] {
        let delays = requests.compactMap { run in run.earliestBegin.map { $0 - run.submittedAt } }.filter { $0 > .zero }
        if source == .plugin, delays.count * 2 > requests.count { return delays }
        let times = requests.map(\.submittedAt).sorted()
        return zip(times, times.dropFirst()).map { $1 - $0 }
    }
}
