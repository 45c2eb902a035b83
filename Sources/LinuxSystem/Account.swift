// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Looks up the account names of user numbers, for every text that names a user.
package enum Account {
    /// The name of the user; its number when no account has it.
    package static func name(of user: UInt32) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }
}
