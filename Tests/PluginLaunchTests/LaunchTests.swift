// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

/// The parent of all suites that start processes. They are serialized, because they count descriptors and children of
/// the one test process.
@Suite(.serialized)
enum LaunchTests {}
