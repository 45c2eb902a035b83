// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import BackgroundTasks
import CBackgroundTasks
import CBackgroundTasksTesting
import Foundation

/// The host of one launch of a plugin, inside of the test's own process.
///
///     let host = TestHost(plugin: "com.example.feed", permitted: ["com.example.feed.refresh"])
///     try host.enter { Feed.launch() }
///     let outcome = await host.run("com.example.feed.refresh", .refresh)
///     #expect(outcome == .success)
///     #expect(host.pendingRequests.map(\.identifier) == ["com.example.feed.refresh"])
///     #expect(await host.end().isEmpty)
///
/// The functions of the module `BackgroundTasks` answer as in a launch: with the same errors, in every phase.
/// Differences:
///
/// - A process has one host at a time, because the module has one scheduler: write `@Suite(.serialized)`, and one
///   suite.
/// - The clock stands still until ``advance(by:)``.
/// - The host accepts every well-formed request of a permitted identifier. Modes, limits and conditions are decisions
///   of a real host; ``refuseNext(_:subReason:message:)`` simulates their refusals.
/// - A continued request is accepted in every launch, and is delivered by ``runPending(_:)`` alone.
/// - The launch ends at ``end()``, not with its last completion, and no quiet period passes.
/// - Nothing is killed. A call that does not return is a defect that ``end()`` reports after ten seconds.
/// - A programming error, such as a second registration, ends the process of the test.
/// - Objects and threads of the plugin may outlive the host: their calls fail as after the end of a launch, or as
///   outside of a host.
public final class TestHost: @unchecked Sendable {
    // Unchecked: every function of the C host may be called from any thread.

    /// The failure of an entry.
    public struct EntryFailure: Error, CustomStringConvertible {
        /// The status that entry returned.
        public let status: Int32
        /// The lines of the log, which contain the cause.
        public let log: [String]

        /// The status and the log.
        public var description: String {
            "entry returned \(status)" + (log.isEmpty ? "" : ": \(log.joined(separator: "; "))")
        }
    }

    let host: OpaquePointer

    /// Creates the host of a main plugin.
    ///
    /// - Parameters:
    ///   - plugin: identifier of the plugin.
    ///   - permitted: identifiers and patterns that the manifest permits.
    ///   - settings: values of the plugin's settings.
    ///   - container: the container directory, which must exist; nil for the directory of temporary files.
    ///   - budget: budget of the launch.
    ///   - gracePeriod: the grace period after an expiration.
    ///   - isUserInitiated: whether a user started the launch, where handlers of continued tasks may be registered after
    ///     entry.
    ///   - supportedResources: resources of the machine, as `BGTaskScheduler.supportedResources` returns them.
    public init(
        plugin: String,
        permitted: [String],
        settings: [String: String] = [:],
        container: URL? = nil,
        budget: Duration = .seconds(600),
        gracePeriod: Duration = .seconds(5),
        isUserInitiated: Bool = false,
        supportedResources: BGContinuedProcessingTaskRequest.Resources = .default
    ) {
        host = bgtt_new(plugin)
        for identifier in permitted { bgtt_permit(host, identifier) }
        for (key, value) in settings { bgtt_set_setting(host, key, value) }
        if let container { bgtt_set_container(host, container.path) }
        bgtt_set_budget(host, budget.nanoseconds, gracePeriod.nanoseconds)
        if isUserInitiated { bgtt_set_lane(host, UInt32(BGT_LANE_BACKGROUND), UInt32(BGT_CAUSE_USER)) }
        if supportedResources.contains(.gpu) { bgtt_set_supported_resources(host, UInt64(BGT_RESOURCE_GPU)) }
    }

    /// Timeout in milliseconds for each wait of a host that a failed test did not end.
    private static let shortTimeout: UInt32 = 100

    /// Leaves the host. Its memory is kept, a small leak per host of a unit test: tasks, timers and threads of the
    /// plugin that outlive the test may still call it; their calls fail as after the end of a launch.
    deinit {
        BackgroundPlugin.leave(bgtt_table(host))
        bgtt_set_timeout(host, Self.shortTimeout)
        bgtt_retire(host)
    }

    // MARK: The course of a launch

    /// The closure of the entry that this thread calls; nil elsewhere. The C function of an entry has no context.
    @TaskLocal private static var launch: (@MainActor () throws -> Void)?

    /// Enters a plugin whose launch is not async: calls the closure that the plugin passes to
    /// `BackgroundPlugin/enter(_:_:launch:)`.
    ///
    /// - Throws: ``EntryFailure`` when the closure throws.
    @MainActor
    public func enter(_ launch: @escaping @MainActor () throws -> Void) throws {
        let status = Self.$launch.withValue(launch) {
            bgtt_enter(host) { host, hooks in
                // The C host calls this function on the thread of bgtt_enter, and the pointers stay there.
                nonisolated(unsafe) let (table, functions) = (host, hooks)
                return MainActor.assumeIsolated {
                    BackgroundPlugin.enter(table, functions) { try TestHost.launch?() }
                }
            }
        }
        if status != BGT_OK { throw EntryFailure(status: status, log: log) }
    }

    /// Ends the launch: waits for the handlers, calls the function of `BackgroundPlugin/onStop(_:)`, and refuses later
    /// calls.
    ///
    /// - Returns: the violations, and a line with the number of other defects: tasks that are not completed, open
    ///   assertions, calls that do not return. Empty without defects.
    public func end() async -> [String] {
        let open = await waiting { bgtt_end($0) }
        let violations = violations
        let others = Int(open) - violations.count
        let defects = others == 1 ? "1 further defect" : "\(others) further defects"
        return violations + (others > 0 ? ["\(defects), described on standard error"] : [])
    }

    /// Calls a function that blocks, on a thread that may block.
    func waiting<Value: Sendable>(_ call: @escaping @Sendable (OpaquePointer) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: call(self.host)) }
        }
    }
}

extension Duration {
    /// The duration in nanoseconds; 0 for a negative one, and the greatest number for one of more than 584 years.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, exceeds) = product.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000))
        return overflows || exceeds ? .max : sum
    }
}
