// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The ELF note of a plugin, which the host reads before it loads the library: 32 bytes in eight 32-bit fields.
///
/// The fields are: the length of the name with its NUL, the length of the descriptor, the type of the note, "bgtask"
/// padded to eight bytes, the major version of the interface, the minor version that this module requires, and the
/// minor version of the header that it was built with.
@section(".note.bgtask") @used
private let pluginNote: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) =
    (7, 12, 1, 0x6174_6762, 0x0000_6b73, 1, 0, 0)
