// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// A call that changes the device token of a plugin.
struct TokenCall: Hashable {
    let plugin: PluginIdentifier
    let change: PushTokenChange
}

/// An answer to a push with an identifier, as the ledger has it.
struct KeptAnswer {
    let push: AnsweredPush
    /// Whether the clock was more than ten minutes from the push since. The host may have forgotten it then.
    var wasOld = false
}

// Device tokens and repetitions of pushes (C21).
extension NaiveHost {
    func isTokenChanging(of plugin: PluginIdentifier) -> Bool { tokenCalls.values.contains { $0.plugin == plugin } }

    // MARK: Device tokens

    /// Complains about a change of a token that neither a call nor the removal of a plugin causes, and about a ledger
    /// with other tokens than those that the calls leave.
    func noteTokens(in changes: [LedgerChange]) {
        let forgotten = changes.compactMap { change in
            if case .forgetPlugin(let plugin) = change { plugin } else { nil }
        }
        for case .changePushToken(let plugin, let change, _) in changes {
            let isRemoval = forgotten.contains(plugin) && change == .revoke
            if !isRemoval, !tokenCalls.values.contains(TokenCall(plugin: plugin, change: change)) {
                complain("the token of \(plugin) changes without a call")
            }
            switch change {
            case .issue(let token):
                if tokens[plugin] != nil { complain("\(plugin) gets a second token") }
                tokens[plugin] = token
            case .rotate(let token): tokens[plugin] = token
            case .revoke: tokens[plugin] = nil
            }
        }
        if tokens != host.ledger.pushTokens { complain("the ledger has other tokens than the calls leave") }
    }

    func judge(_ answer: Answer, to call: TokenCall) {
        let plugin = call.plugin
        switch (answer, call.change) {
        case (.pushTokenChanged(true), .issue(let token)), (.pushTokenChanged(true), .rotate(let token)):
            // The plugin may have been dropped since the commit.
            if let valid = tokens[plugin], valid != token { complain("\(plugin) gets another token than its own") }
        case (.pushTokenChanged(true), .revoke):
            if tokens[plugin] != nil { complain("the revoked token of \(plugin) is valid") }
        case (.pushTokenChanged(false), .issue):
            if tokens[plugin] == nil { complain("\(plugin) has no token, and gets none") }
        case (.pushTokenChanged(false), .revoke):
            if tokens[plugin] != nil { complain("the token of \(plugin) is not revoked") }
        case (.refused(let refusal), _): judge(refusal, ofTokenOf: plugin)
        default: complain("a change of the token of \(plugin) is answered with \(answer)")
        }
    }

    private func judge(_ refusal: SubmissionRefusal, ofTokenOf plugin: PluginIdentifier) {
        switch refusal.subReason {
        case .notRecorded, .pluginMissing: break
        case .hostStopping: if !isStopping { complain("a token of \(plugin) is refused without a stop") }
        case .remoteNotificationModeMissing:
            if let entry = entry(plugin), entry.role == .main, entry.modes.contains(.remoteNotification) {
                complain("\(plugin) is refused a token in spite of its mode")
            }
        default: complain("a token of \(plugin) is refused (\(refusal.subReason.name))")
        }
    }

    // MARK: Repetitions

    /// Complains if a repetition of a kept push is a new push.
    func notePushAnswers(in changes: [LedgerChange]) {
        for case .keepPushAnswer(let plugin, let push, _, _) in changes {
            if let old = keptAnswers[plugin]?[push.identity], !old.wasOld, isRecent(old.push, at: push.at) {
                complain("push \(push.number) repeats \(old.push.number)")
            }
            keptAnswers[plugin, default: [:]][push.identity] = KeptAnswer(push: push)
        }
        for case .forgetPlugin(let plugin) in changes { keptAnswers[plugin] = nil }
    }

    func noteOldPushAnswers() {
        for (plugin, answers) in keptAnswers {
            for (identity, answer) in answers where !isRecent(answer.push, at: now.wall) {
                keptAnswers[plugin]?[identity]?.wasOld = true
            }
        }
    }

    private func isRecent(_ push: AnsweredPush, at now: WallTime) -> Bool {
        now - push.at <= .seconds(600) && push.at - now <= .seconds(600)
    }

    /// Complains if the answer to a push with an identifier is not the recorded one.
    func judge(_ answer: Answer, to push: Push) {
        guard let identity = push.identity, case .pushed(let number, let result, let end) = answer else { return }
        // The plugin may have been dropped since the commit.
        guard let kept = keptAnswers[push.plugin]?[identity]?.push else { return }
        if kept.number != number || kept.result != result || kept.expiresAt != end {
            complain("push \(number) of \(push.plugin) is not answered as \(kept.number), which it repeats")
        }
    }
}
