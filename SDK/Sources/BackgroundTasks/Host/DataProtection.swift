// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// Conversion between Foundation's protection types and the ABI's flags.
enum DataProtection {
    static func flag(_ type: FileProtectionType) -> UInt32 {
        switch type.rawValue {
        case FileProtectionType.complete.rawValue: BGT_PROTECTION_COMPLETE
        case FileProtectionType.completeUnlessOpen.rawValue: BGT_PROTECTION_UNLESS_OPEN
        case FileProtectionType.none.rawValue: BGT_PROTECTION_NONE
        default: BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION
        }
    }

    static func type(_ flag: UInt32) -> FileProtectionType {
        switch flag {
        case BGT_PROTECTION_COMPLETE: .complete
        case BGT_PROTECTION_UNLESS_OPEN: .completeUnlessOpen
        case BGT_PROTECTION_NONE: .none
        default: .completeUntilFirstUserAuthentication
        }
    }
}
