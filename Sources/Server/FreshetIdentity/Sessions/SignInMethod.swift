// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How somebody proved who he is, at the beginning of a session.
package enum SignInMethod: String, Sendable {
    case password, code, apple
}
