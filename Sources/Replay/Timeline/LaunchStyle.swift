// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The style in which the timeline of a replay shows a launch.
enum LaunchStyle: CaseIterable {
    case background
    case batch
    case continued
    case event
    case interrupted
    case overrun

    init(_ launch: ReplayRecord.RecordedLaunch) {
        switch (launch.outcome, launch.lane) {
        case (.overran, _): self = .overrun
        case (.crashed, _), (.exited, _), (.killedForMemory, _), (.interrupted, _), (.lost, _): self = .interrupted
        case (_, .event): self = .event
        case (_, .continued): self = .continued
        case (_, .transfer): self = .background
        case (_, .background): self = launch.tasks.count > 1 ? .batch : .background
        }
    }

    var words: String {
        switch self {
        case .background: "background launch"
        case .batch: "launch of several tasks"
        case .continued: "continued launch"
        case .event: "event launch"
        case .interrupted: "interrupted"
        case .overrun: "overran"
        }
    }

    var color: String {
        switch self {
        case .background: "#2f74b5"
        case .batch: "#0b2f57"
        case .continued: "#2f8f7a"
        case .event: "#8a96a0"
        case .interrupted: "#7b1f6a"
        case .overrun: "#d3302f"
        }
    }

    /// Minimum width of a launch in the drawing, in units of the drawing. A launch of a rare style is wider, so that it
    /// stays visible.
    var leastWidth: Double {
        switch self {
        case .background, .continued, .event: 0.9
        case .batch, .interrupted, .overrun: 1.6
        }
    }
}
