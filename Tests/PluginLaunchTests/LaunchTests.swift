// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

/// All suites that start processes. Serialized: they count descriptors and children of the process that they share.
@Suite(.serialized)
enum LaunchTests {}
