// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import HostConfiguration

// Checks of the socket, the runner and the control groups.
extension HostCheck {
    /// Maximum length of a socket's path in bytes: `sun_path` without its final zero.
    private static let longestSocketPath = 107

    /// Checks the control socket.
    ///
    /// - Parameter isRunning: whether a host uses the state directory; nil when it is unknown.
    mutating func checkSocket(isRunning: Bool?) {
        let socket = configuration.controlSocket
        if socket.utf8.count > Self.longestSocketPath {
            return add(
                .problem,
                .socket,
                "the control socket's path \(socket) has \(socket.utf8.count) bytes; at most"
                    + " \(Self.longestSocketPath) are allowed; choose a shorter path with --socket"
            )
        }
        var status = stat()
        guard lstat(socket, &status) == 0 else { return checkPlaceForSocket(isRunning: isRunning == true) }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            return add(
                .problem,
                .socket,
                "\(socket) exists and is not a socket; remove it, or choose another path with --socket"
            )
        }
        checkListener(socketFacts(socket).listener, isRunning: isRunning)
    }

    private mutating func checkListener(_ listener: SocketListener, isRunning: Bool?) {
        let socket = configuration.controlSocket
        switch (listener, isRunning) {
        case (.process(let process), true?):
            add(.fine, .socket, "\(socket) is served by \(process.map { "process \($0)" } ?? "a process")")
        case (.serviceManager, _):
            add(.fine, .socket, "the service manager keeps \(socket) open, and starts the host for the next caller")
        case (.crowded, true?):
            add(
                .note,
                .socket,
                "\(socket) is served, but its queue of callers is full: the host hangs, is suspended, or has too many"
                    + " callers; show its process and its queue with: ss -lxp src \(socket)"
            )
        case (.process, nil), (.crowded, nil):
            let process = listener.process.map { "process \($0)" } ?? "a process"
            add(
                .note,
                .socket,
                "\(socket) is served by \(process); whether that process uses this state directory is unknown"
            )
        case (.process, false?), (.crowded, false?):
            let process = listener.process.map { "process \($0)" } ?? "a process"
            add(
                .problem,
                .socket,
                "\(socket) is served by \(process), which uses another state directory or is no host; show it with:"
                    + " ss -lxp src \(socket), and stop it, or choose another path with --socket"
            )
        case (.unknown(let error), _):
            let remedy =
                [EACCES, EPERM].contains(error)
                ? "run this command as the host's own user" : "show its processes with: ss -lxp src \(socket)"
            add(
                .note,
                .socket,
                "whether a process serves \(socket) is unknown: \(String(cString: strerror(error))); \(remedy)"
            )
        case (.noProcess, true?):
            add(
                .note,
                .socket,
                "no process serves \(socket); the host of this state directory serves another socket, or is starting or"
                    + " stopping; name its socket with --socket, or check again in a moment"
            )
        case (.noProcess, false?), (.noProcess, nil):
            add(.fine, .socket, "\(socket) was left by a host that has ended; the next host replaces it")
        }
    }

    private mutating func checkPlaceForSocket(isRunning: Bool) {
        let socket = configuration.controlSocket
        let place = Place.nearest(to: socket)
        if isRunning {
            add(
                .note,
                .socket,
                "\(socket) does not exist; the host of this state directory serves another socket, or is starting or"
                    + " stopping; name its socket with --socket, or check again in a moment"
            )
        } else if access(place, W_OK | X_OK) == 0 {
            add(.fine, .socket, "\(socket) is free")
        } else {
            checkWriting(in: place, .socket, remedy: "choose another path with --socket")
        }
    }

    mutating func checkRunner() {
        let path = configuration.runner ?? runnerBesideHost
        guard let path else {
            return add(
                .problem,
                .runner,
                "\(HostProgram.name) is neither beside this command nor in PATH, so its bgtask-runner is not found;"
                    + " install both, or name the runner with --runner"
            )
        }
        if ProgramFile.isExecutable(path) { return add(.fine, .runner, "\(path) can be executed") }
        let isMissing = access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
        let cause = isMissing ? "does not exist" : "cannot be executed by this user"
        add(
            .problem,
            .runner,
            "\(path) \(cause); install bgtask-runner for this machine with permission to execute it, or name another"
                + " runner with --runner"
        )
    }

    private var runnerBesideHost: String? {
        let search = HostProgram(environment: environment)
        guard let host = search.path(isExecutable: ProgramFile.isExecutable) else { return nil }
        guard let resolved = realpath(host, nil) else { return nil }
        defer { free(resolved) }
        return RunnerProgram.path(ofHost: String(cString: resolved))
    }

    mutating func checkControlGroups() {
        guard let directory = configuration.cgroup else {
            return add(.fine, .cgroup, "the host chooses the place for control groups itself, or runs without them")
        }
        if directory == "none" { return add(.fine, .cgroup, "control groups are disabled") }
        let remedy =
            "set cgroup to a directory of a cgroup v2 hierarchy that the host may write to (a service has one with"
            + " Delegate=yes), or to \"none\", which disables control groups"
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return add(
                .problem,
                .cgroup,
                "\(directory) cannot be opened: \(String(cString: strerror(errno))); \(remedy)"
            )
        }
        defer { close(descriptor) }
        guard bgl_is_cgroup(descriptor) == 1 else {
            return add(.problem, .cgroup, "\(directory) is not in a cgroup v2 hierarchy; \(remedy)")
        }
        if access(directory, W_OK | X_OK) == 0 {
            return add(.fine, .cgroup, "control groups can be created in \(directory)")
        }
        checkWriting(in: directory, .cgroup, remedy: remedy)
    }
}
