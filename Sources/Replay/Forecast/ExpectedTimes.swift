// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The expected running times of tasks.
package struct ExpectedTimes: Hashable, Sendable {
    /// The source of an expected time.
    package enum Basis: String, Hashable, Sendable, CaseIterable {
        /// The median of the plugin's earlier launches with tasks of the kind.
        case earlierRuns = "earlier-runs"
        /// Half of the budget.
        case budget
        /// A fixed time, for a task without earlier launches and without a budget.
        case fixed
    }

    package struct Key: Hashable, Sendable {
        package let plugin: PluginIdentifier
        package let kind: TaskKind

        package init(_ plugin: PluginIdentifier, _ kind: TaskKind) {
            self.plugin = plugin
            self.kind = kind
        }
    }

    /// The expected time of a task without earlier launches and without a budget.
    package static let fixed: Duration = .seconds(10 * 60)
    /// No task takes less, so that the modelled time advances.
    private static let shortest: Duration = .milliseconds(1)

    private var medians: [Key: Duration]

    /// Creates the times from the running times of earlier launches.
    package init(_ observed: [Key: [Duration]] = [:]) {
        medians = observed.compactMapValues { times in
            times.isEmpty ? nil : times.sorted()[times.count / 2]
        }
    }

    /// The expected running time of a task. At most nine tenths of the budget, because most launches that reach the end
    /// of their budget do so rarely.
    ///
    /// - Parameter budget: the budget of the launch; nil without one.
    func time(of work: PendingWork, budget: Duration?) -> (takes: Duration, basis: Basis) {
        let most = budget.map { $0 * 9 / 10 }
        if let median = medians[Key(work.plugin, work.kind)] {
            return (max(Self.shortest, most.map { min($0, median) } ?? median), .earlierRuns)
        }
        if let budget, work.kind != .continued { return (max(Self.shortest, budget / 2), .budget) }
        return (Self.fixed, .fixed)
    }
}
