// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Measuring

extension Population {
    static func lists(_ programs: Programs) -> Population {
        Population(name: "lists", plugins: 10_000, each: 10, path: Rows.directory(programs) + "/lists")
    }

    static func start(_ programs: Programs) -> Population {
        Population(name: "start", plugins: 1_000, each: 1_000, path: Rows.directory(programs) + "/start")
    }
}
