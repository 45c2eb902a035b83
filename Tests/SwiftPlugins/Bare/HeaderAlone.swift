// Part of bgtask, under the Apache License 2.0; see LICENSE.

// A plugin in Swift with only the C header, without Foundation. It has a Swift runtime of its own, static or dynamic.

import CBackgroundTasks

/// The ELF note of the plugin, as BGTASK_PLUGIN_NOTE emits it in C.
@section(".note.bgtask") @used
private let note: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) =
    (7, 12, 1, 0x6174_6762, 0x0000_6b73, 1, 0, 0)

/// The entry function of the plugin, the only symbol that the host looks up.
@c(bgtask_plugin_entry)
public func enter(_ host: UnsafePointer<bgt_host>, _ plugin: UnsafeMutablePointer<bgt_plugin>) -> Int32 {
    bgt_register(host, "com.example.headeralone.task", { _, host, task in count(host, task) }, nil)
}

/// Completes the task after work that uses the Swift runtime: allocation, reference counts, metadata, casts, strings.
private func count(_ host: UnsafePointer<bgt_host>, _ task: bgt_task) {
    var colours: [String: any CustomStringConvertible] = [:]
    for number in 1...1000 { colours["colour \(number)"] = number.isMultiple(of: 2) ? number : "odd" }
    let even = colours.values.compactMap { $0 as? Int }
    bgt_log(host, BGT_LOG_INFO, "\(even.count) of \(colours.count) are even, and add up to \(even.reduce(0, +))")
    bgt_complete(host, task, even.count == 500 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE)
}
