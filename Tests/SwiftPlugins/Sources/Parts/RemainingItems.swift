// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Loops over remaining items: one in an async handler, which is killed once and waits once for its expiration, and one
/// on the main actor, with items that are not `Sendable`, which completes its task itself.
final class RemainingItems: Part {
    final class Row {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    func launch() {
        BGTaskScheduler.shared.handle(taskWithIdentifier: "com.example.colorfeed.db-cleaning") { task in
            note("run, attempt \(task.attempt)")
            for try await item in task.resuming(0..<30, durable: true) {
                if item == 10 && isFirst("kill") { raise(SIGKILL) }
                if item == 20 && isFirst("expiration") {
                    note("waits")
                    while !task.isExpiring { try? await Task.sleep(nanoseconds: 1_000_000) }
                }
                note("item \(item)")
            }
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.report", using: .main) { task in
            Task { @MainActor in
                do {
                    let rows = (1...5).map { Row($0) }
                    for try await row in task.resuming(rows, by: \.number) { note("row \(row.number)") }
                    task.setTaskCompleted(success: true)
                } catch {
                    note("failed: \(error)")
                    task.setTaskCompleted(success: false)
                }
            }
        }
    }
}

/// Whether no launch of this plugin has reached the place with this name before.
private func isFirst(_ name: String) -> Bool {
    guard let file = BackgroundPlugin.containerURL?.appendingPathComponent(name) else { return false }
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
}
