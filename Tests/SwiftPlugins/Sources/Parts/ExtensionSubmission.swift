// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// An extension, which may submit for its main plugin, and never runs a task itself.
final class ExtensionSubmission: Part {
    func launch() {
        let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.refresh") {
            _ in
        }
        note("an extension registers: \(isRegistered)")
        BackgroundPlugin.handleEvents { event in
            guard event.kind == .trigger, let typed = event.payload else { return }
            let request = BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.refresh")
            request.payload = typed
            try await BGTaskScheduler.shared.submitTaskRequest(request)
        }
    }
}
