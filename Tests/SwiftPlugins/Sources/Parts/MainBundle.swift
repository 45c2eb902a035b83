// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation

/// Code of an app that reads its Info dictionary and finds a resource by `Bundle.main`.
final class MainBundle: Part {
    init() {}

    func launch() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.refresh",
            using: nil
        ) { task in
            let bundle = Bundle.main
            note("identifier \(bundle.bundleIdentifier ?? "none")")
            note("version \(bundle.object(forInfoDictionaryKey: "CFBundleShortVersionString") ?? "none")")
            note("server \(bundle.object(forInfoDictionaryKey: "ServerURL") ?? "none")")
            note("logs \(bundle.object(forInfoDictionaryKey: "LogsRequests") as? Bool == true)")
            let resource = bundle.url(forResource: "palette", withExtension: "txt")
            note("palette \(resource.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "none")")
            let file = bundle.bundleURL.appendingPathComponent("written")
            note("writes \(FileManager.default.createFile(atPath: file.path, contents: nil))")
            task.setTaskCompleted(success: true)
        }
    }
}
