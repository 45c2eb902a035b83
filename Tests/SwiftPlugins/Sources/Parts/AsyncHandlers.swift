// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The additions to Apple's API: async handlers, events, payloads, settings, expiration reason and remaining time.
final class AsyncHandlers: Part {
    struct Trouble: Error {}

    func launch() {
        BGTaskScheduler.shared.handle(taskWithIdentifier: "com.example.colorfeed.refresh") { task in
            let payload = task.payload.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
            note("refresh with \(payload), attempt \(task.attempt)")
            let remaining = task.timeRemaining ?? .zero
            note("time remaining: \(remaining > .zero && remaining <= .seconds(30))")
            if payload == "trouble" { throw Trouble() }
            do {
                while isSlow { try await Task.sleep(nanoseconds: 10_000_000) }
            } catch {
                note("cancelled: \(task.isExpiring), \(String(describing: task.expirationReason))")
                if payload == "late" {
                    // Resumed once: a second call would end the process.
                    await withCheckedContinuation { continuation in
                        task.expirationHandler = { continuation.resume() }
                    }
                    note("expired late")
                }
                throw error
            }
            if payload == "old" { task.complete(.noData) }
        }
        BackgroundPlugin.handleEvents { event in
            note("event \(event.kind) of \(event.identifier)")
            note(
                "colour: \(BackgroundPlugin.setting("colour") ?? "none"), size: \(BackgroundPlugin.setting("size") ?? "none")"
            )
            note("launched as \(BackgroundPlugin.launch?.plugin ?? "nothing")")
        }
        BackgroundPlugin.onStop { note("stopping") }
    }
}
