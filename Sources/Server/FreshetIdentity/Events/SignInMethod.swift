// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The method by which a user authenticated at sign-in.
package enum SignInMethod: String, Sendable {
    case password, code, apple
}
