// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Graphics processors, by their devices: those that the host goes by.
enum GraphicsDevices {
    static var isAnyPresent: Bool {
        let files = FileManager.default
        let nodes = (try? files.contentsOfDirectory(atPath: "/dev/dri")) ?? []
        return nodes.contains { $0.hasPrefix("renderD") }
            || ["/dev/nvidia0", "/dev/kfd"].contains(where: files.fileExists(atPath:))
    }
}
