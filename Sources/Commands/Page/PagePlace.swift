// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The place of a host: the output of `bgtask page --where`, which `bgtask -H HOST page` reads.
struct PagePlace: Codable, Hashable {
    /// The absolute path of the control socket.
    let socket: String
}
