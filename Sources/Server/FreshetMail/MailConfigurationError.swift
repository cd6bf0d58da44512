// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// An invalid setting of mail.
package struct MailConfigurationError: StartupError, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }

    var cause: StartupErrorCause { .setting }
    var setting: String? { "mail" }
}
