// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension Confinement {
    /// Version of the wire format, the first field of the first frame. Host and runner with different versions cannot
    /// communicate.
    package static let wireVersion: UInt16 = 15
}

extension FrameWriter {
    mutating func put(_ confinement: Confinement) {
        put(Confinement.wireVersion)
        put(confinement.user != nil)
        if let user = confinement.user { put(user) }
        put(confinement.processLimit != nil)
        if let limit = confinement.processLimit { put(limit) }
        put(confinement.fileLimit != nil)
        if let limit = confinement.fileLimit { put(limit) }
        put(confinement.nice)
        put(text: confinement.containerPath)
        put(confinement.sandbox)
    }
}

extension FrameReader {
    mutating func confinement() throws(WireError) -> Confinement {
        let version: UInt16 = try integer("confinement.version")
        guard version == Confinement.wireVersion else {
            throw WireError(
                code: .foreignVersion,
                message: "confinement.version is \(version), but this runner reads version \(Confinement.wireVersion)"
            )
        }
        return Confinement(
            user: try flag("confinement.hasUser") ? try integer("confinement.user") : nil,
            processLimit: try flag("confinement.hasProcessLimit") ? try integer("confinement.processLimit") : nil,
            fileLimit: try flag("confinement.hasFileLimit") ? try integer("confinement.fileLimit") : nil,
            nice: try integer("confinement.nice"),
            containerPath: try text("confinement.containerPath"),
            sandbox: try sandbox()
        )
    }
}
