// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The kernel's event about a device: `change@/devices/...`, then `KEY=value` pieces, each ended by a zero byte.
struct DeviceEvent: Equatable {
    let action: String
    let subsystem: String
    let device: String

    /// Parses an event of the kernel; nil for other messages. For example, udev sends messages in another format to its
    /// own listeners.
    init?(parsing bytes: ArraySlice<UInt8>) {
        var values: [Substring: Substring] = [:]
        let pieces = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard let head = pieces.first, head.contains("@") else { return nil }
        for piece in pieces.dropFirst() {
            guard let equals = piece.firstIndex(of: "=") else { continue }
            values[piece[..<equals]] = piece[piece.index(after: equals)...]
        }
        guard let action = values["ACTION"], let subsystem = values["SUBSYSTEM"] else { return nil }
        self.action = String(action)
        self.subsystem = String(subsystem)
        device = String(values["DEVPATH"] ?? "")
    }
}
