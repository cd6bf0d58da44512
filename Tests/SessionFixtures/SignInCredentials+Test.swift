// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit

extension SignInCredentials {
    package static var test: SignInCredentials {
        .password(email: "ada@example.com", password: "correct horse battery")
    }
}
