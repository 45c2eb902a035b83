// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import Scheduling
import Synchronization

/// The point before or after an action at which a debug build of the host kills itself with SIGKILL, for `make
/// torture`.
///
/// `commit:before:3` means before the third commit is performed, `commit:after:3` after it. Belongs to the decision
/// loop.
final class KillPoint: Sendable {
    enum Side: String, CaseIterable, Sendable { case before, after }

    let kind: SchedulerAction.Kind
    let side: Side
    let count: Int
    private let passed = Atomic(0)

    /// Reads `BGTASK_KILL_AT`, the action at which a debug build kills itself. Nil without the variable, and in release
    /// builds. Throws for an invalid value.
    static func ofProcess() throws(HostError) -> KillPoint? {
        #if DEBUG
            guard let text = ProcessInfo.processInfo.environment["BGTASK_KILL_AT"] else { return nil }
            return try KillPoint(text)
        #else
            return nil
        #endif
    }

    init(_ text: String) throws(HostError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let kind = SchedulerAction.Kind(rawValue: parts[0]),
            let side = Side(rawValue: parts[1]), let count = Int(parts[2]), count > 0
        else {
            let kinds = SchedulerAction.Kind.allCases.map(\.rawValue).joined(separator: " ")
            throw HostError(
                code: .configurationInvalid,
                message: "BGTASK_KILL_AT \"\(text)\" is not a kill point; write KIND:before:COUNT or KIND:after:COUNT,"
                    + " with a count from 1 on; kinds: \(kinds)"
            )
        }
        (self.kind, self.side, self.count) = (kind, side, count)
    }

    /// Kills the process at the kill point; returns everywhere else.
    func pass(_ action: SchedulerAction, _ side: Side) {
        guard matches(action, side) else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    /// Counts an action of the kill point's kind and side, and returns whether its number is the kill point's count.
    /// Returns false, without counting, for any other kind or side.
    func matches(_ action: SchedulerAction, _ side: Side) -> Bool {
        guard side == self.side, action.kind == kind else { return false }
        return passed.add(1, ordering: .relaxed).newValue == count
    }
}

extension SchedulerAction {
    /// The case of an action, without its values.
    enum Kind: String, CaseIterable, Sendable {
        case commit, answer, load, takeRunner, discardContainer, dismissRunner, confineRunner, sendPlan
        case deliver, expire, yieldCursor, expireAssertions, stop, sweepTransfers, kill, setKillTime, wake, watch,
            stopped
    }

    var kind: Kind {
        switch self {
        case .commit: .commit
        case .answer: .answer
        case .load: .load
        case .takeRunner: .takeRunner
        case .discardContainer: .discardContainer
        case .dismissRunner: .dismissRunner
        case .confineRunner: .confineRunner
        case .sendPlan: .sendPlan
        case .deliver: .deliver
        case .expire: .expire
        case .yieldCursor: .yieldCursor
        case .expireAssertions: .expireAssertions
        case .stop: .stop
        case .sweepTransfers: .sweepTransfers
        case .kill: .kill
        case .setKillTime: .setKillTime
        case .wake: .wake
        case .watch: .watch
        case .stopped: .stopped
        }
    }
}
