// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A group of reasons that the timeline shows with the same pattern.
enum WaitGroup: CaseIterable {
    case machine
    case policy
    case others

    /// The group for reasons that apply at the same time: `machine` if one of them is a condition of the machine;
    /// otherwise `others` if one of them is other work or the host; otherwise `policy`.
    ///
    /// - Parameter reasons: codes of reasons.
    init(reasons: [String]) {
        let groups = Set(reasons.compactMap { ReasonKind(code: $0)?.row.group })
        if groups.contains(.machine) {
            self = .machine
        } else {
            self = groups.isDisjoint(with: [.otherWork, .host]) ? .policy : .others
        }
    }

    var words: String {
        switch self {
        case .machine: "waits for the machine"
        case .policy: "waits for its time, spacing, day budget or a permission"
        case .others: "waits for other work or the host"
        }
    }

    var name: String {
        switch self {
        case .machine: "machine"
        case .policy: "policy"
        case .others: "others"
        }
    }

    var color: String {
        switch self {
        case .machine: "#c98a1b"
        case .policy: "#7a5cc0"
        case .others: "#5f7d8c"
        }
    }
}
