// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Appends a line for the test to the file `notes` in the container.
func note(_ line: String) {
    guard let file = BackgroundPlugin.containerURL?.appendingPathComponent("notes") else { return }
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    // One write, so that lines of several threads and processes stay whole.
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try? handle.write(contentsOf: Data("\(line)\n".utf8))
}

/// Whether the work has to continue until its expiration.
var isSlow: Bool { BackgroundPlugin.setting("slow") == "true" }

/// Whether the test has released the work, or there is no container.
var isReleased: Bool {
    guard let file = BackgroundPlugin.containerURL?.appendingPathComponent("release") else { return true }
    return FileManager.default.fileExists(atPath: file.path)
}
