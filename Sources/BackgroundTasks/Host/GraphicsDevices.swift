// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Detection of graphics processors, by the same device files that the host uses.
enum GraphicsDevices {
    static var isAnyPresent: Bool {
        let files = FileManager.default
        let nodes = (try? files.contentsOfDirectory(atPath: "/dev/dri")) ?? []
        return nodes.contains { $0.hasPrefix("renderD") }
            || ["/dev/nvidia0", "/dev/kfd"].contains(where: files.fileExists(atPath:))
    }
}
