// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Dispatch sources may be used from any thread, but the Linux overlay does not declare them Sendable.
@preconcurrency import Dispatch
import Glibc
import Synchronization

extension Screen {
    /// The terminal that this process writes to; nil when standard output is not a terminal.
    package static func ofProcess() -> Screen? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        let keyboard = Keyboard()
        return Screen(
            size: currentSize,
            events: events,
            takeKeys: { $0 ? keyboard.take() : keyboard.giveBack() },
            // The signal is sent to this thread, so that this thread stops at once. If it were sent to the process,
            // another thread might receive it, and this thread would continue for a moment.
            suspend: { pthread_kill(pthread_self(), SIGSTOP) }
        )
    }

    @Sendable private static func currentSize() -> Size {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            // The usual size, for a terminal that does not report one.
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

    /// A source that reads the keyboard and yields `left` for the key `q`. Other keys are read and discarded, so that
    /// the shell does not receive them afterwards.
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

/// The keyboard mode of the terminal. Stores the mode from before the display, to restore it at the end.
private final class Keyboard: Sendable {
    private let before = Mutex<termios?>(nil)

    func take() {
        var mode = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        before.withLock { $0 = mode }
        // Keys are delivered one at a time and without echo; Ctrl-C and Ctrl-Z still send signals.
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    func giveBack() {
        guard var mode = before.withLock({ $0 }) else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }
}
