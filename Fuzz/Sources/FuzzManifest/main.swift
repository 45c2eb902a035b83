// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FuzzEntries
import Fuzzing

Fuzzer.run(ManifestEntry())
