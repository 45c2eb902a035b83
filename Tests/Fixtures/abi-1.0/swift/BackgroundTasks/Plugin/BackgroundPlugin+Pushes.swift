// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation

// Registrations for background pushes. The pushes arrive as the event `BackgroundEvent.Kind.push`.
extension BackgroundPlugin {
    /// Registers this plugin for pushes from other machines. The first registration issues a device token; later ones,
    /// also in later launches, return the same token, until it is ended by ``unregisterForPushes()``, a user, or a
    /// restore of the host. Register at each launch, and send a changed token to the senders. The token is a secret.
    ///
    /// Senders on this machine name the plugin, and need no token.
    ///
    /// - Returns: the device token, after the host has recorded it.
    /// - Throws: ``BGTaskScheduler/Error`` outside of a host, for an extension, without the background mode
    ///   `remote-notification`, and when the host cannot record the token.
    public static func registerForPushes() async throws -> Data {
        try await onWaitingQueue { try deviceToken() }
    }

    /// Ends the device token of this plugin: senders that use it are refused. The next registration issues another
    /// token.
    ///
    /// - Throws: ``BGTaskScheduler/Error``, as ``registerForPushes()`` does.
    public static func unregisterForPushes() async throws {
        try await onWaitingQueue { try endDeviceToken() }
    }

    /// Sets the receiver of pushes, which then do not go to the receiver of events. Call it while the plugin enters.
    ///
    /// - Parameter receiver: called on the queue of events.
    package static func receivePushes(_ receiver: (@Sendable (BackgroundEvent) -> Void)?) { setPushReceiver(receiver) }

    static func onWaitingQueue<Value: Sendable>(
        _ call: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Host.waitingQueue.async { continuation.resume(with: Result { try call() }) }
        }
    }

    private static func deviceToken() throws -> Data {
        guard let host = Host.current else { throw BGTaskScheduler.Error.withoutHost }
        guard let pushes = host.pushes else { throw BGTaskScheduler.Error.withoutPushes }
        let capacity = Int(BGTASK_PUSH_TOKEN_MAX)
        var bytes = [UInt8](repeating: 0, count: capacity)
        var length: UInt64 = 0
        let answer = Host.Answer { refusal in
            pushes.pointee.register_plugin(host.table, &bytes, UInt64(capacity), &length, refusal)
        }
        guard answer.status == .ok else { throw BGTaskScheduler.Error(answer) }
        return Data(bytes.prefix(Int(clamping: length)))
    }

    private static func endDeviceToken() throws {
        guard let host = Host.current else { throw BGTaskScheduler.Error.withoutHost }
        guard let pushes = host.pushes else { throw BGTaskScheduler.Error.withoutPushes }
        let answer = Host.Answer { refusal in pushes.pointee.unregister_plugin(host.table, refusal) }
        if answer.status != .ok { throw BGTaskScheduler.Error(answer) }
    }
}

extension Host {
    /// The functions of the feature for pushes; nil on a host without it. Valid until the process ends.
    fileprivate var pushes: UnsafePointer<bgt_pushes>? {
        bgt_query(table, BGTASK_PUSH)?.assumingMemoryBound(to: bgt_pushes.self)
    }
}

extension Host.Answer {
    /// The answer to a call that fills a refusal.
    init(_ call: (UnsafeMutablePointer<bgt_refusal>) -> Int32) {
        var refusal = bgt_refusal()
        refusal.size = UInt32(MemoryLayout<bgt_refusal>.size)
        let status = call(&refusal)
        let text = withUnsafeBytes(of: &refusal.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(status: Host.Status(rawValue: status), subReason: refusal.sub_reason, submission: 0, text: text)
    }
}

extension BGTaskScheduler.Error {
    fileprivate static var withoutPushes: Self {
        Self(.unavailable, subReason: .notOffered, text: "this host has no background pushes; upgrade bgtaskd")
    }
}
