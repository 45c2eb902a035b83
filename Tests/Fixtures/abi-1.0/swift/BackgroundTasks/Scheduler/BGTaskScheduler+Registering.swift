// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    func record(_ identifier: String, _ handler: LaunchHandler) -> Bool {
        guard let host = Host.current else { return false }
        // The host would accept a pattern; here each composed identifier is registered by itself, as on Apple's
        // platforms.
        if identifier.hasSuffix("*") {
            host.log(
                .error,
                "no launch handler was registered for the pattern \"\(identifier)\";"
                    + " register one for each identifier that matches the pattern"
            )
            return false
        }
        switch host.register(identifier, handler) {
        case .ok:
            BackgroundPlugin.remember(registered: identifier)
            return true
        case .wrongPhase:
            ProgrammingError.end(
                "all launch handlers must be registered before entry returns; \"\(identifier)\" was registered later;"
                    + " register it in the closure of BackgroundPlugin.enter; a handler of a continued task may be"
                    + " registered later in a launch that a user started, and in every launch if the manifest permits"
                    + " its identifier only by a pattern"
            )
        case .duplicate:
            ProgrammingError.end(
                "the launch handler for a task identifier may be registered only once; \"\(identifier)\""
                    + " has one already; remove the second registration"
            )
        case let status:
            host.log(.error, "the launch handler for \"\(identifier)\" was not registered: \(host.cause(of: status))")
            return false
        }
    }
}
