// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

/// All suites that start processes. One at a time: they count descriptors and children of the one process they share.
@Suite(.serialized)
enum LaunchTests {}
