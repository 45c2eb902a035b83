// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One thing about the machine that a decision can depend on, as commands, configuration and routes name it.
package enum Condition: String, Hashable, Sendable, CaseIterable {
    case externalPower = "external-power"
    case network
    case idle
    case highLoad = "high-load"
    case lowMemory = "low-memory"
    case hot
    /// A graphics processor is there for continued tasks that ask for one.
    case gpu

    /// What costs something to know, and is looked at only while somebody waits for it or works under it.
    package static let watchable: Set<Condition> = [.idle, .highLoad, .hot]

    /// As people read it.
    package var words: String { rawValue.replacing("-", with: " ") }
}
