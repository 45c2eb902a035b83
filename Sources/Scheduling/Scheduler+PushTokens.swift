// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A call that issues, rotates or revokes the device token of a plugin.
struct PushTokenCall: Sendable {
    let plugin: PluginIdentifier
    let change: PushTokenChange
    /// The launch whose plugin called; nil for a call of a user.
    let launch: LaunchNumber?
    let user: CallingUser?
    let reply: ReplyToken
}

/// A change of a device token with its commit in flight.
struct StagedPushToken: Sendable {
    let call: PushTokenCall
    /// The journal lines of the call, counted against the limits of the calling launch.
    let lines: [BoundedLines.Line]
}

// Device tokens of plugins (C21). Their bytes stay in the ledger; the scheduler decides who has one.
extension Scheduler {
    /// Issues, rotates or revokes the device token of a plugin. One change of a plugin's token is in flight at a time;
    /// later calls wait for its result.
    mutating func changePushToken(
        of plugin: PluginIdentifier,
        _ change: PushTokenChange,
        from launch: LaunchNumber?,
        reply: ReplyToken,
        at now: Moment
    ) {
        let user = callingUser
        decide(PushTokenCall(plugin: plugin, change: change, launch: launch, user: user, reply: reply), at: now)
    }

    private mutating func decide(_ call: PushTokenCall, at now: Moment) {
        if let refusal = refusal(of: call) { return emit(.answer(call.reply, .refused(refusal))) }
        if waitingPushTokens[call.plugin] != nil {
            waitingPushTokens[call.plugin]?.append(call)
            return
        }
        guard call.change.isNeeded(hasToken: pushTokenHolders.contains(call.plugin)) else {
            return emit(.answer(call.reply, .pushTokenChanged(false)))
        }
        var entry = JournalEntry(
            at: now.wall,
            event: .pushTokenChanged,
            plugin: call.plugin,
            launch: call.launch,
            blame: .nobody,
            message: message(of: call)
        )
        entry.user = call.user
        var lines: [BoundedLines.Line] = []
        let journal = bounded(entry, .pushToken, from: call.launch, in: &lines)
        waitingPushTokens[call.plugin] = []
        stage(
            .pushToken(StagedPushToken(call: call, lines: lines)),
            [.changePushToken(call.plugin, call.change, at: now.wall)] + journal
        )
    }

    private func message(of call: PushTokenCall) -> String {
        switch call.change {
        case .issue: "the plugin has a device token now"
        case .rotate where !pushTokenHolders.contains(call.plugin): "the plugin has a device token now"
        case .rotate: "the device token of the plugin was rotated: the previous one has ended"
        case .revoke: "the device token of the plugin was revoked"
        }
    }

    // MARK: Settling

    mutating func settle(_ staged: StagedPushToken, at now: Moment) {
        let call = staged.call
        if case .revoke = call.change {
            pushTokenHolders.remove(call.plugin)
        } else {
            pushTokenHolders.insert(call.plugin)
        }
        emit(.answer(call.reply, .pushTokenChanged(true)))
        decideWaiting(of: call.plugin, at: now)
    }

    mutating func rollBack(_ staged: StagedPushToken, because message: String, at now: Moment) {
        let call = staged.call
        giveBack(staged.lines, of: call.launch)
        emit(.answer(call.reply, .refused(.notRecorded("change of the device token", because: message))))
        decideWaiting(of: call.plugin, at: now)
    }

    private mutating func decideWaiting(of plugin: PluginIdentifier, at now: Moment) {
        let presentUser = callingUser
        defer { callingUser = presentUser }
        callingUser = nil
        for call in waitingPushTokens.removeValue(forKey: plugin) ?? [] { decide(call, at: now) }
    }

    /// Drops the token of a plugin from memory, because the ledger has ended it together with the plugin's record.
    mutating func dropPushToken(of plugin: PluginIdentifier) { pushTokenHolders.remove(plugin) }

    // MARK: Refusals

    private func refusal(of call: PushTokenCall) -> SubmissionRefusal? {
        if isStopping { return .hostStopping(remedy: "call again after the host's restart") }
        let plugin = call.plugin
        // The removal ends the token, so that a change that waits behind it would give one to a dropped plugin.
        if plugins.contains(plugin), plugins[plugin].recordState == .clearing {
            return .notRecorded("change of the device token", because: "\(plugin) is being dropped; call again")
        }
        if case .revoke = call.change, call.launch == nil { return nil }
        guard plugins.contains(plugin), let entry = plugins[plugin].entry else {
            return .pushWithoutPlugin(plugin, problem: plugins.contains(plugin) ? plugins[plugin].refusal : nil)
        }
        if let main = entry.containingPlugin { return .pushTokenOfExtension(plugin, of: main) }
        return entry.modes.contains(.remoteNotification) ? nil : .pushTokenWithoutMode(plugin)
    }
}

extension PushTokenChange {
    /// Whether the change has an effect. A rotation of a missing token issues one.
    fileprivate func isNeeded(hasToken: Bool) -> Bool {
        switch self {
        case .issue: !hasToken
        case .rotate: true
        case .revoke: hasToken
        }
    }
}
