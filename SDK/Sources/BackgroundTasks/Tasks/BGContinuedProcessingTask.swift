// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation
import Synchronization

/// A task that a user started, watches and may stop. It runs as long as its progress grows.
open class BGContinuedProcessingTask: BGTask, ProgressReporting {
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

    /// Title of the task that users see.
    open var title: String { titles.withLock { $0.title } }

    /// Second line that users see below the title.
    open var subtitle: String { titles.withLock { $0.subtitle } }

    /// Progress of the task. Set its counts, or add children; every change is reported to the host. A task whose
    /// progress does not grow for a while expires.
    ///
    /// Without a total, completed units still count: the task continues as long as they grow, but the remaining work is
    /// not shown.
    open var progress: Progress { reported }

    /// Replaces title and subtitle together.
    open func updateTitle(_ title: String, subtitle: String) {
        titles.withLock { titles in
            titles = Titles(title: title, subtitle: subtitle)
            // Set under the lock: with two threads, the host shows the titles that the task has.
            delivered.setTitle(title, subtitle)
        }
    }

    override func willComplete() { reported.end() }
}

// Unchecked: all mutable state is in the mutex.
extension BGContinuedProcessingTask: @unchecked Sendable {}
