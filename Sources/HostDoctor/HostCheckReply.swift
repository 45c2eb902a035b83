// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The findings of `HostCheck`, in the order of its checks.
package struct HostCheckReply: Encodable, Hashable {
    package let stateDirectory: String
    /// Whether a host uses the state directory now.
    package let isRunning: Bool
    package let findings: [HostFinding]

    package var problems: Int { findings.count { $0.verdict == .problem } }

    enum CodingKeys: String, CodingKey {
        case stateDirectory = "state_directory"
        case isRunning = "is_running"
        case findings
        case problems
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stateDirectory, forKey: .stateDirectory)
        try container.encode(isRunning, forKey: .isRunning)
        try container.encode(findings, forKey: .findings)
        try container.encode(problems, forKey: .problems)
    }
}

/// One result of a check.
package struct HostFinding: Encodable, Hashable {
    package enum Verdict: String, Encodable {
        case fine
        /// A host starts, but its behavior may differ from the operator's expectation.
        case note
        /// A host does not start, or does not follow its configuration.
        case problem
    }

    package enum Subject: String, Encodable {
        case configuration
        case host
        case stateDirectory = "state-directory"
        case ledger
        case container
        case manifest
        case pluginDirectory = "plugin-directory"
        case runner
        case secret
        case pluginUsers = "plugin-users"
        case socket
        case cgroup
        case isolation
    }

    package let verdict: Verdict
    package let subject: Subject
    /// The subject and, unless the verdict is `fine`, the rule and the remedy.
    package let message: String
}
