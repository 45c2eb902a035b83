// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The run loop of the main thread after the plugin's entry has returned. It runs the main queue, main-actor code and
/// timers.
enum MainLoop {
    static func run() -> Never {
        while true {
            // `run` returns when no source could ever wake it; a later handler may add one.
            if !RunLoop.main.run(mode: .default, before: .distantFuture) { Thread.sleep(forTimeInterval: 0.05) }
        }
    }
}
