// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// A generator of photos with Exif data.
enum Photography {
    static let isPossible: Bool = {
        let run = Process()
        run.executableURL = URL(filePath: "/usr/bin/env")
        run.arguments = ["pkg-config", "--exists", "libturbojpeg"]
        run.standardError = FileHandle.nullDevice
        guard (try? run.run()) != nil else { return false }
        run.waitUntilExit()
        return run.terminationStatus == 0
    }()

    static func take(_ count: Int, into directory: String, width: Int = 600, height: Int = 400) async throws {
        try await ScratchDirectory.with { scratch in
            let camera = scratch.file("photos")
            let words = ["-std=c11", "-O1", "\(ExampleLibrary.root)/Demo/photos.c", "-o", camera, "-lturbojpeg", "-lm"]
            let compiled = try await ProgramRun.of("/usr/bin/cc", words)
            if compiled.status != 0 { throw HostFailure("cc refused:\n\(compiled.error)") }
            let taken = try await ProgramRun.of(camera, [directory, "\(count)", "\(width)", "\(height)"])
            if taken.status != 0 { throw HostFailure("no photos:\n\(taken.error)") }
        }
    }
}
