// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetSystem

/// A setting of mail that cannot be used.
package struct MailConfigurationError: StartupError, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }

    package var cause: StartupErrorCause { .setting }
    package var setting: String? { "mail" }
}
