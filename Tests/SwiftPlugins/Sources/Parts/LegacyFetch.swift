// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The API that preceded task requests: legacy fetches, at an interval that the app sets at launch.
final class LegacyFetch: Part {
    @available(*, deprecated, message: "as the function that it calls")
    func launch() {
        note("fetches: \(BackgroundPlugin.setMinimumBackgroundFetchInterval(1))")
        BackgroundPlugin.receiveEvents { event in
            note("\(event.kind)")
            event.complete(event.kind == .fetch ? .noData : .success)
        }
    }
}
