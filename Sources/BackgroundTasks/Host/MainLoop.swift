// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The main thread, from the end of entry on: the main queue, main-actor code, timers.
enum MainLoop {
    static func run() -> Never {
        while true {
            // It returns once nothing is left that could ever wake it; a later handler may change that.
            if !RunLoop.main.run(mode: .default, before: .distantFuture) { Thread.sleep(forTimeInterval: 0.05) }
        }
    }
}
