// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CMalloc
import Glibc

/// Memory of this process, in bytes.
enum Memory {
    /// Resident pages, including free memory that the allocator keeps.
    static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " "
        )
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Allocated bytes in use, with the allocator's headers.
    static var inUse: Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
}
