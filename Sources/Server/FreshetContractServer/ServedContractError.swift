// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// A contract that the server cannot serve.
package struct ServedContractError: StartupError, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }

    var cause: StartupErrorCause { .setting }
    var setting: String? { "contract" }
}
