// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import RunnerWire
import TaskModel

/// A read of a cursor that a note of the runner owes.
struct OwedRead {
    let due: MonotonicTime
    let launch: LaunchNumber
    let task: TaskID
}

/// Reads of cursors that no message causes.
extension LaunchLoop {
    /// Performs the owed reads whose time has come. Nothing is read of a launch that has ended: its end read all.
    func readOwedCursors(at now: MonotonicTime) {
        while let read = owedReads.first, read.due <= now {
            owedReads.removeFirst()
            guard let launch = launches[read.launch] else { continue }
            let slot = launch.cursors.readOwed(read.task, at: now)
            reportFailedRead(of: launch)
            if let slot { onEvent(.wrote(launch.number, slot, nil)) }
            // The completion of the task may wait for this read.
            resumeControl(of: launch)
        }
    }

    /// Reads the last cursors of a launch whose processes have ended: nothing writes to its memory any more.
    func readLastCursors(of launch: SupervisedLaunch) {
        for slot in launch.cursors.readLast() { onEvent(.wrote(launch.number, slot, nil)) }
        reportFailedRead(of: launch)
    }

    /// Reads the cursor that a message is about, and owes another read if the message demands one.
    ///
    /// - Parameter mayWait: whether the message may wait for the other read.
    func readCursor(
        at message: RunnerMessage,
        of launch: SupervisedLaunch,
        at now: MonotonicTime,
        mayWait: Bool
    ) -> CursorReader.Read {
        let read = launch.cursors.read(at: message, now, mayWait: mayWait)
        if let task = read.owed {
            let due = now + CursorReader.shortestInterval
            owedReads.append(OwedRead(due: due, launch: launch.number, task: task))
        }
        reportFailedRead(of: launch)
        return read
    }

    private func reportFailedRead(of launch: SupervisedLaunch) {
        guard let failure = launch.cursors.takeFailure() else { return }
        logger.error("\(failure.message)", metadata: ["launch": "\(launch.number)"])
    }
}

extension CursorReader.Failure {
    var message: String {
        let consequence =
            isLast
            ? "if the task continues, it begins at the cursor that was read before, and repeats the work since then"
            : "the host reads it again, at the latest before the completion or at the end of the launch"
        return "a cursor was not read: \(error); \(consequence); check the swap device"
    }
}
