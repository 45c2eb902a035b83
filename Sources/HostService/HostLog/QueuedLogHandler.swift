// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import TaskModel

/// A log handler that writes from its own queue, so that a blocked terminal does not delay the end of a launch.
struct QueuedLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, own in own }
        let line = LogLine(
            level: event.level,
            message: event.message.description,
            fields: fields,
            time: SystemClock().now().wall
        )
        LogWriter.shared.write(line)
    }
}
