// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

// The device token of the plugin: the feature `bgtask.push/1`.
extension RunnerLaunch {
    func registerForPushes(
        _ buffer: UnsafeMutablePointer<UInt8>?,
        _ capacity: UInt64,
        _ needed: UnsafeMutablePointer<UInt64>?
    ) throws(CallProblem) {
        try permitPushes("register_plugin")
        guard buffer != nil || capacity == 0 else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "buffer: NULL, but capacity is \(capacity); pass a buffer of BGTASK_PUSH_TOKEN_MAX bytes"
            )
        }
        let answer = calls.call { channel.send(.registerForPushes($0)) }
        guard let token = try pushToken(answer, "register_plugin") else {
            throw CallProblem(
                status: BGT_UNAVAILABLE,
                subReason: BGT_REASON_NOT_RECORDED,
                message: "register_plugin: the device token was revoked meanwhile; register again"
            )
        }
        needed?.pointee = UInt64(token.bytes.count)
        guard let buffer, capacity >= UInt64(token.bytes.count) else {
            throw CallProblem(
                status: BGT_TRUNCATED,
                message: "capacity: \(capacity) bytes; the device token has \(token.bytes.count), so pass a buffer of"
                    + " BGTASK_PUSH_TOKEN_MAX bytes"
            )
        }
        buffer.update(from: token.bytes, count: token.bytes.count)
    }

    func unregisterForPushes() throws(CallProblem) {
        try permitPushes("unregister_plugin")
        let answer = calls.call { channel.send(.unregisterForPushes($0)) }
        _ = try pushToken(answer, "unregister_plugin")
    }

    /// Throws in a pending visitor, in an extension, and without the background mode for pushes.
    private func permitPushes(_ call: StaticString) throws(CallProblem) {
        try permit(call)
        if state.withLock({ $0.hasEnded }) { throw Self.ended(call) }
        guard plan.role == .main else {
            throw CallProblem(
                status: BGT_WRONG_ROLE,
                message: "\(call): an extension receives no pushes; register in its main plugin"
            )
        }
        guard plan.modes.contains(.remoteNotification) else {
            throw CallProblem(
                status: BGT_NOT_PERMITTED,
                subReason: BGT_REASON_MODE_REMOTE_NOTIFICATION_MISSING,
                message: "\(call): pushes need the background mode remote-notification, which the manifest of"
                    + " \(plan.plugin) does not list; add it to background-modes"
            )
        }
    }

    private func pushToken(_ answer: CallTable.Answer?, _ call: StaticString) throws(CallProblem) -> PushToken? {
        switch answer {
        case .pushToken(let token): return token
        case .refused(let refusal): throw CallProblem(refusal)
        case .submitted, .cancelled, .pending, .cursorStored, .transferBegun, .transfers:
            throw Self.foreignAnswer(to: call)
        case nil: throw Self.ended(call)
        }
    }
}
