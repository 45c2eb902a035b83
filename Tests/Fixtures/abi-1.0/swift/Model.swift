// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The entry function of the model plugin of Tests/Languages, as far as the module offers what it does.
@c(bgtask_plugin_entry)
public func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
    BackgroundPlugin.enter(host, hooks) {
        let scheduler = BGTaskScheduler.shared
        scheduler.register(forTaskWithIdentifier: "com.example.model.work", using: nil) { task in
            Task { await work(task) }
        }
        scheduler.register(forTaskWithIdentifier: "com.example.model.waits", using: nil) { task in
            task.expirationHandler = {
                BackgroundPlugin.log("expired \(task.expirationReason.map { "\($0)" } ?? "without a reason")")
                task.complete(.failure, message: "stopped")
            }
        }
        BackgroundPlugin.receiveEvents { event in
            BackgroundPlugin.log("event \(event.kind)")
            event.complete(.noData)
        }
        BackgroundPlugin.onStop { BackgroundPlugin.log("stop") }
    }
}

private func work(_ task: BGTask) async {
    let text = { (data: Data?) in data.map { String(decoding: $0, as: UTF8.self) } ?? "nothing" }
    let plugin = BackgroundPlugin.launch?.plugin ?? "nothing"
    BackgroundPlugin.log("work \(plugin) \(task.submissionNumber) \(text(task.payload))")
    do {
        let assertion = BackgroundPlugin.beginBackgroundTask(withName: "model")
        let request = BGProcessingTaskRequest(identifier: "com.example.model.waits")
        request.requiresNetworkConnectivity = true
        request.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
        request.payload = Data("again".utf8)
        try await BGTaskScheduler.shared.submitTaskRequest(request)
        for request in await BGTaskScheduler.shared.pendingTaskRequests() {
            BackgroundPlugin.log("pending \(request.identifier) \(text(request.payload))")
        }
        BackgroundPlugin.log("setting \(BackgroundPlugin.setting("colour") ?? "nothing")")
        BackgroundPlugin.endBackgroundTask(assertion)
        task.complete(.success, message: "worked")
    } catch {
        BackgroundPlugin.log("\(error)", level: .error)
        task.complete(.failure)
    }
}
