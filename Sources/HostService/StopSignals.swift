// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import UnixSignals

/// The effect of SIGHUP on the host.
enum HangupMeaning: Hashable, Sendable {
    /// A host in a terminal stops in order: the end of a terminal must not count as a crash of its host.
    case stop
    /// A host without a terminal, such as a service, reads its configuration again.
    case reload
    /// A host that was started with SIGHUP ignored (`nohup`) outlives its terminal.
    case ignored

    static let ofProcess: HangupMeaning = isIgnored ? .ignored : hasTerminal ? .stop : .reload

    /// The signals on which the host stops in an orderly way.
    var stopSignals: [UnixSignal] { self == .stop ? [.sigterm, .sigint, .sighup] : [.sigterm, .sigint] }

    /// Whether the process has a controlling terminal.
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        if terminal < 0 { return false }
        close(terminal)
        return true
    }

    private static var isIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UnsafeRawPointer?.self)
        return handler == unsafeBitCast(SIG_IGN, to: UnsafeRawPointer?.self)
    }
}
