// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Dispatch's sources may be used from any thread; its Linux overlay does not say so.
@preconcurrency import Dispatch
import Glibc
import Synchronization

extension Screen {
    /// The one that this process writes to; nil when its output goes elsewhere.
    package static func ofProcess() -> Screen? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        let keyboard = Keyboard()
        return Screen(
            size: currentSize,
            events: events,
            takeKeys: { $0 ? keyboard.take() : keyboard.giveBack() },
            // To this very thread, which then stops with the process before it can do anything else; sent to the process,
            // another thread may take it, and this one goes on for a moment.
            suspend: { pthread_kill(pthread_self(), SIGSTOP) }
        )
    }

    @Sendable private static func currentSize() -> Size {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            // What a terminal is that does not say.
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    @Sendable private static func events() -> AsyncStream<Event> {
        AsyncStream { stream in
            let signals: [(CInt, Event)] = [
                (SIGWINCH, .resized), (SIGTSTP, .suspended), (SIGTERM, .left), (SIGHUP, .left),
            ]
            let caught = signals.map { number, event in CaughtSignal(number) { stream.yield(event) } }
            let keyboard = isatty(STDIN_FILENO) == 1 ? keys(stream) : nil
            keyboard?.resume()
            stream.onTermination = { _ in
                for signal in caught { signal.cancel() }
                keyboard?.cancel()
            }
        }
    }

    /// `q` leaves; every other key is read and forgotten, so that no shell gets it afterwards.
    private static func keys(_ stream: AsyncStream<Event>.Continuation) -> any DispatchSourceProtocol {
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        source.setEventHandler {
            var typed = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &typed, typed.count)
            if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return source.cancel() }
            if typed.prefix(max(0, count)).contains(UInt8(ascii: "q")) { stream.yield(.left) }
        }
        return source
    }
}

/// What the terminal does with keys, and what it did before.
private final class Keyboard: Sendable {
    private let before = Mutex<termios?>(nil)

    func take() {
        var mode = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        before.withLock { $0 = mode }
        // One key at a time and unseen; Ctrl-C and Ctrl-Z stay what they are.
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    func giveBack() {
        guard var mode = before.withLock({ $0 }) else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }
}
