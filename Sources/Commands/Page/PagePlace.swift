// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// The place of a host, which `bgtask page --where` prints for the `bgtask page` of another machine.
struct PagePlace: Codable, Hashable {
    /// The absolute path of the control socket.
    let socket: String
    /// Name of the time zone of the machine.
    let timeZone: String

    private enum CodingKeys: String, CodingKey {
        case socket
        case timeZone = "time_zone"
    }
}
