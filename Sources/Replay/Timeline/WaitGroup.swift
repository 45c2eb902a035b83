// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Reasons of one sort, which a timeline shows alike.
enum WaitGroup: CaseIterable {
    case machine
    case policy
    case others

    /// By the code of the reason that comes first where there are several.
    init(reasons: [String]) {
        let machine: Set = [
            "external-power", "network", "container-locked", "resources-missing", "not-idle", "high-load",
            "memory-pressure", "heat",
        ]
        let others: Set = ["lane-busy", "others-run-alone", "launch-limit", "being-recorded", "runner-unavailable"]
        if !machine.isDisjoint(with: reasons) {
            self = .machine
        } else {
            self = others.isDisjoint(with: reasons) ? .policy : .others
        }
    }

    var words: String {
        switch self {
        case .machine: "waits for the machine"
        case .policy: "waits for time, spacing or its day budget"
        case .others: "waits for other work"
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
