// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc

/// Mock services of python3-dbusmock on a private bus. Each call returns when its effect is on the bus.
package final class MockServices {
    /// Debian's own interpreter, because no other one finds the packages of Debian.
    static let python = "/usr/bin/python3"

    private let pid: pid_t
    /// Socket to the script of the mock services: it carries commands to the script and answers back. No other program
    /// inherits it, so that closing it ends the script.
    private let socket: Int32

    package init(on bus: PrivateBus) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "mock-services.py").path
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw BusFailure(message: "no socket pair") }
        defer { close(ends[1]) }
        socket = ends[0]
        pid = try ChildProcess.start(Self.python, [script, bus.address], standardStreams: ends[1])
    }

    deinit {
        close(socket)
        _ = ChildProcess.end(of: pid)
    }

    /// An object of a service on the bus, with properties.
    package struct Object: Sendable {
        package let name: String
        let path: String
        let interface: String

        package init(_ name: String, path: String, interface: String) {
            self.name = name
            self.path = path
            self.interface = interface
        }
    }

    package func start(_ object: Object, _ properties: [String: Any]) throws {
        try run("start", object, ["properties": properties])
    }

    /// Starts a service for which python3-dbusmock contains a template.
    package func start(_ name: String, template: String, _ parameters: [String: Any] = [:]) throws {
        try send(["command": "template", "name": name, "template": template, "parameters": parameters])
    }

    package func change(_ object: Object, _ properties: [String: Any]) throws {
        try run("change", object, ["properties": properties])
    }

    package func signal(_ object: Object, _ member: String, _ text: String) throws {
        try run("signal", object, ["member": member, "text": text])
    }

    /// The calls of the methods of a service: each has the name of the method, then its arguments as JSON values.
    package func calls(of object: Object) throws -> [[Any]] {
        let json = try send(["command": "calls", "name": object.name, "path": object.path])
        return try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[Any]] ?? []
    }

    /// Removes a service from the bus.
    package func stop(_ name: String) throws { try send(["command": "stop", "name": name]) }

    /// Stops the process of a service, as SIGSTOP does: it keeps its name on the bus and answers no call.
    package func suspend(_ name: String) throws { try send(["command": "suspend", "name": name]) }

    private func run(_ command: String, _ object: Object, _ arguments: [String: Any]) throws {
        let place: [String: Any] = [
            "command": command, "name": object.name, "path": object.path, "interface": object.interface,
        ]
        try send(place.merging(arguments) { _, own in own })
    }

    /// - Returns: the result of the command as JSON; empty without one.
    @discardableResult
    private func send(_ command: [String: Any]) throws -> String {
        let line = [UInt8](try JSONSerialization.data(withJSONObject: command)) + [UInt8(ascii: "\n")]
        var sent = 0
        while sent < line.count {
            let count = line[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw BusFailure(message: "mock-services.py has ended") }
            sent += count
        }
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("done") else { throw BusFailure(message: "mock-services.py: \(text)") }
        return String(text.dropFirst("done ".count))
    }
}
