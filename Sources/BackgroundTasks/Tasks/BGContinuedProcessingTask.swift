// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// A task that a person started, watches and may stop. It goes on as long as its progress grows.
public final class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
    private struct Titles {
        var title: String
        var subtitle: String
    }

    private let titles: Mutex<Titles>
    private let reported: ReportedProgress

    override init(_ delivered: DeliveredTask) {
        titles = Mutex(Titles(title: delivered.title, subtitle: delivered.subtitle))
        reported = ReportedProgress(delivered)
        super.init(delivered)
    }

    /// What people see of the task.
    public var title: String { titles.withLock { $0.title } }

    /// What people see below the title.
    public var subtitle: String { titles.withLock { $0.subtitle } }

    /// How far the task is. Set its counts, or give it children; every change reaches the host. A task that gets no
    /// further for a while expires.
    ///
    /// Without a total the completed units count nevertheless: the task goes on as long as they grow, and nobody sees how
    /// much is left.
    public var progress: Progress { reported }

    /// Changes what people see, both at once.
    public func updateTitle(_ title: String, subtitle: String) {
        titles.withLock { titles in
            titles = Titles(title: title, subtitle: subtitle)
            // Under the lock: of two threads' titles the host shows the one that the task has.
            delivered.setTitle(title, subtitle)
        }
    }

    override func willComplete() { reported.end() }
}
