// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import TaskModel

/// Answers to the system calls that the sandbox of a launch refuses.
extension LaunchLoop {
    func watchRefusals(at listener: Descriptor, of launch: SupervisedLaunch) {
        do throws(SystemError) {
            try poller.add(listener, .refusals(launch.number))
            launch.refusals = RefusedCalls(listener: listener, at: clock.monotonic)
        } catch {
            // The listener is closed: the kernel answers the calls with ENOSYS.
            logger.warning(
                "refused system calls of a launch are not journaled: cannot \(error.attempt): \(error.meaning)",
                metadata: ["launch": "\(launch.number)"]
            )
        }
    }

    /// Answers one call, so that no plugin delays the events of others.
    func answerRefusedCall(of launch: SupervisedLaunch) {
        switch launch.refusals?.answer() {
        case .call(let call?): onEvent(.refused(launch.number, call))
        case .call(nil): break
        case .ended, nil: return endRefusals(of: launch)
        }
        guard var refusals = launch.refusals else { return }
        let due = answerRate.answered(&refusals.rate, at: clock.monotonic)
        launch.refusals = refusals
        if let due { pause(refusals.listener, .refusals(launch.number), until: due) }
    }

    func endRefusals(of launch: SupervisedLaunch) {
        if let listener = launch.refusals?.listener { poller.remove(listener, .refusals(launch.number)) }
        forgetPause(.refusals(launch.number))
        launch.refusals = nil
    }
}
