// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import UnixSignals

/// The signals on which the host stops in an orderly way.
enum StopSignals {
    /// The signals that stop this host. SIGHUP stops it, too, because the end of a terminal must not count as a crash
    /// of its host. Exception: a host that was started with SIGHUP ignored (`nohup`) outlives its terminal.
    static var accepted: [UnixSignal] { isHangupIgnored ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup] }

    private static var isHangupIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UnsafeRawPointer?.self)
        return handler == unsafeBitCast(SIG_IGN, to: UnsafeRawPointer?.self)
    }
}
