// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension FrameWriter {
    mutating func put(_ sandbox: SandboxPlan?) {
        put(sandbox != nil)
        guard let sandbox else { return }
        put(sandbox.landlock != nil)
        if let rights = sandbox.landlock {
            put(rights.files)
            put(rights.network)
            put(rights.scopes)
        }
        put(text: sandbox.library)
        put(list: sandbox.companions) { frame, file in
            frame.put(text: file.path)
            frame.put(file.key.device)
            frame.put(file.key.inode)
        }
        put(list: sandbox.granted) { frame, place in
            frame.put(text: place.path)
            frame.put(place.access)
            frame.put(list: place.within) { $0.put(text: $1) }
        }
        put(list: sandbox.ports) { frame, port in
            frame.put(port.number)
            frame.put(port.rights)
        }
        put(list: sandbox.reserved) { $0.put(text: $1) }
        put(bytes: sandbox.filter)
    }
}

extension FrameReader {
    mutating func sandbox() throws(WireError) -> SandboxPlan? {
        guard try flag("confinement.hasSandbox") else { return nil }
        return SandboxPlan(
            landlock: try landlockRights(),
            library: try text("sandbox.library"),
            companions: try list("sandbox.companions", minimumSize: 20) { fields throws(WireError) in
                CompanionFile(
                    path: try fields.text("sandbox.companions.path"),
                    key: FileKey(
                        device: try fields.integer("sandbox.companions.device"),
                        inode: try fields.integer("sandbox.companions.inode")
                    )
                )
            },
            granted: try list("sandbox.granted", minimumSize: 9) { fields throws(WireError) in
                SandboxPlan.Place(
                    path: try fields.text("sandbox.granted.path"),
                    access: try fields.value("sandbox.granted.access"),
                    within: try fields.list("sandbox.granted.within", minimumSize: 4) { limits throws(WireError) in
                        try limits.text("sandbox.granted.within")
                    }
                )
            },
            ports: try list("sandbox.ports", minimumSize: 10) { ports throws(WireError) in
                SandboxPlan.Port(
                    try ports.integer("sandbox.ports.number"),
                    rights: try ports.integer("sandbox.ports.rights")
                )
            },
            reserved: try list("sandbox.reserved", minimumSize: 4) { fields throws(WireError) in
                try fields.text("sandbox.reserved")
            },
            filter: try bytes("sandbox.filter")
        )
    }

    private mutating func landlockRights() throws(WireError) -> LandlockRights? {
        guard try flag("sandbox.hasLandlock") else { return nil }
        return LandlockRights(
            files: try integer("sandbox.landlock.files"),
            network: try integer("sandbox.landlock.network"),
            scopes: try integer("sandbox.landlock.scopes")
        )
    }
}
