// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(UIKit)
    internal import Foundation
    internal import UIKit

    extension ExpiringActivity {
        /// The expiring activity of `ProcessInfo`, for apps and their extensions.
        static var system: ExpiringActivity? {
            ExpiringActivity { reason, body in
                ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: body)
            }
        }
    }
#endif
