// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetSystem

/// An error for an invalid mail setting.
package struct MailConfigurationError: StartupError, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }

    package var cause: StartupErrorCause { .setting }
    package var setting: String? { "mail" }
}
