// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The ways in which published code examines the scheduler's errors.
final class ErrorHandling: Part {
    func launch() {
        for name in ["refresh", "report", "db-cleaning"] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.\(name)") { task in
                Task {
                    await Self.submitElsewhere()
                    Self.submitWithCompletionHandler { task.setTaskCompleted(success: true) }
                }
            }
        }
        let registered = BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.colorfeed.unknown") { _ in
        }
        note("unknown is registered: \(registered)")
        byCase()
        byCode()
        bridged()
    }

    func byCase() {
        do {
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.unknown"))
        } catch BGTaskScheduler.Error.notPermitted {
            note("by case: not permitted")
        } catch BGTaskScheduler.Error.tooManyPendingTaskRequests {
            note("by case: too many")
        } catch BGTaskScheduler.Error.unavailable {
            note("by case: unavailable")
        } catch {
            note("by case: \(error.localizedDescription)")
        }
    }

    func byCode() {
        do {
            for name in ["refresh", "report"] {
                let request = BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.\(name)")
                request.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
                try BGTaskScheduler.shared.submit(request)
            }
        } catch let error as BGTaskScheduler.Error where error.code == .tooManyPendingTaskRequests {
            note("by code: too many, \(error.subReason)")
            switch error.code {
            case .unavailable, .notPermitted, .immediateRunIneligible: note("by code: another")
            case .tooManyPendingTaskRequests: note("by code: the same")
            @unknown default: note("by code: unknown")
            }
        } catch {
            note("by code: \(error)")
        }
    }

    func bridged() {
        do {
            try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: "not an identifier"))
        } catch {
            let error = error as NSError
            note("bridged: \(error.domain == BGTaskScheduler.errorDomain) \(error.domain) \(error.code)")
            switch error.code {
            case BGTaskScheduler.Error.Code.notPermitted.rawValue: note("bridged: not permitted")
            default: note("bridged: another")
            }
            note("bridged: says why: \(error.localizedDescription.contains("not an identifier"))")
        }
    }

    nonisolated static func submitElsewhere() async {
        do {
            let request = BGContinuedProcessingTaskRequest(
                identifier: "com.example.colorfeed.refresh",
                title: "Refresh",
                subtitle: ""
            )
            request.requiredResources = .gpu
            try await BGTaskScheduler.shared.submitTaskRequest(request)
        } catch {
            guard let error = error as? BGTaskScheduler.Error else { return }
            let reason: String =
                switch error.code {
                case .notPermitted: "not permitted"
                case .immediateRunIneligible, .tooManyPendingTaskRequests: "busy"
                case .unavailable: "unavailable"
                @unknown default: "unknown"
                }
            note("async: \(reason), \(error.subReason)")
        }
    }

    nonisolated static func submitWithCompletionHandler(_ done: @escaping @Sendable () -> Void) {
        let request = BGProcessingTaskRequest(identifier: "com.example.colorfeed.db-cleaning")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
        BGTaskScheduler.shared.submitTaskRequest(request) { error in
            note("completion handler: \(error.map { "\($0)" } ?? "submitted")")
            done()
        }
    }
}
